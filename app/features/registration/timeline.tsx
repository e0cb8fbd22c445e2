import type { RegistrationStatus } from '#server/common/values.schema.ts';
import type { FollowedRegistration } from '#server/registration/status.ts';
import type { TimelineEvent } from '#server/registration/timeline.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';

const WHAT: Record<TimelineEvent['event'], string> = {
  started: 'Registration started',
  confirmed: 'Payment confirmed',
  late: 'Payment confirmed, after the hold had ended',
  accepted: 'Accepted',
  rejected: 'Not accepted',
  revoked: 'Activation revoked',
  expired: 'Hold ended, unpaid',
};
/** Whoever follows a registration is its operator. */
const WHO: Record<TimelineEvent['by'], string> = {
  operator: 'you',
  reviewer: 'a reviewer',
  system: 'the registry',
};
const ENDS: readonly TimelineEvent['event'][] = ['rejected', 'revoked', 'expired'];

const TO_COME: Record<RegistrationStatus, string[]> = {
  pending_payment: ['You say that you have paid', 'A reviewer decides'],
  pending_review: ['A reviewer decides'],
  active: [],
  rejected: [],
};

/** What has happened, with its times and by whom, and what is to come. */
export function Timeline({ followed: { timeline, registration } }: TimelineProps) {
  return (
    <>
      {timeline === null && (
        <p className="secondary">
          What has happened so far cannot be shown while the database is away.
        </p>
      )}
      <ol className="timeline">
        {timeline?.map(({ at, event, by }) => {
          const ends = ENDS.includes(event);
          return (
            <li key={at + event} className={ends ? 'ended' : 'past'}>
              <svg viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
                {ends ? (
                  <path d="M-4-4l8 8M4-4l-8 8" stroke="currentColor" strokeWidth="2" />
                ) : (
                  <circle r="4.5" fill="currentColor" />
                )}
              </svg>
              <span>
                {WHAT[event]} <span className="secondary">by {WHO[by]}</span>
              </span>
              <span className="secondary">
                <RelativeTime at={at} />
              </span>
            </li>
          );
        })}
        {TO_COME[registration.status].map((what) => (
          <li key={what} className="to-come">
            <svg viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
              <circle r="4" fill="none" stroke="currentColor" strokeWidth="1.75" />
            </svg>
            <span>{what}</span>
            <span className="secondary">to come</span>
          </li>
        ))}
      </ol>
    </>
  );
}

interface TimelineProps {
  followed: Pick<FollowedRegistration, 'timeline' | 'registration'>;
}
