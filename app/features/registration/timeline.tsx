import type { FollowedRegistration, TimelineEvent } from '#server/registration/index.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import text from '#app/ui/text.module.css';
import { hasOpenQuestion } from './questions.tsx';
import styles from './timeline.module.css';
import { When } from './when.tsx';

const EVENT_LABELS: Record<TimelineEvent['event'], string> = {
  started: 'Reserved',
  confirmed: 'Payment reported',
  late: 'Payment reported after the reservation expired',
  accepted: 'Accepted',
  rejected: 'Rejected',
  revoked: 'Activation revoked',
  expired: 'Reservation expired, unpaid',
  corrected: 'Details corrected',
  proved: 'Node proved by its key',
  asked: 'Question',
  answered: 'Answered',
  cancelled: 'Cancelled',
  released: 'Name released',
};

/** The actors in words: the reader of this page is the registration's operator. */
const ACTOR_LABELS: Record<Exclude<TimelineEvent['by'], 'system'>, string> = {
  operator: 'you',
  reviewer: 'a reviewer',
};

const ENDINGS: readonly TimelineEvent['event'][] = [
  'rejected',
  'revoked',
  'expired',
  'cancelled',
  'released',
];

const PENDING: Record<RegistrationStatus, string[]> = {
  pending_payment: ['Payment reported', 'Reviewer’s decision'],
  pending_review: ['Reviewer’s decision'],
  active: [],
  rejected: [],
};

/** What has happened to a registration, when and by whom, and what is still pending. */
export function Timeline({
  progress: { timeline, registration },
}: {
  progress: Pick<FollowedRegistration, 'timeline' | 'registration'>;
}) {
  return (
    <>
      {timeline === null && (
        <p className={text.secondary}>The history is unavailable while the database is down.</p>
      )}
      <ol className={styles.timeline}>
        {timeline?.map(({ at, event, by }) => {
          const ended = ENDINGS.includes(event);
          return (
            <li key={at + event} className={ended ? styles.ended : styles.past}>
              <svg viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
                {ended ? (
                  <path d="M-4-4l8 8M4-4l-8 8" stroke="currentColor" strokeWidth="2" />
                ) : (
                  <circle r="4.5" fill="currentColor" />
                )}
              </svg>
              <span>
                {EVENT_LABELS[event]}{' '}
                {by !== 'system' && <span className={text.secondary}>by {ACTOR_LABELS[by]}</span>}
              </span>
              <span className={text.secondary}>
                <When at={at} />
              </span>
            </li>
          );
        })}
        {[
          ...(hasOpenQuestion(registration) ? ['Your answer'] : []),
          ...PENDING[registration.status],
        ].map((label) => (
          <li key={label} className={styles.pending}>
            <StateGlyph state="unknown" size={12} />
            <span>{label}</span>
            <span className={text.secondary}>pending</span>
          </li>
        ))}
      </ol>
    </>
  );
}
