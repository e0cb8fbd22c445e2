import type { FollowedRegistration } from '../../../server/services/follow.ts';
import { When } from '../when.tsx';

/** What has happened, with its times, and what is to come. */
export function Timeline({ followed }: { followed: FollowedRegistration }) {
  const { registration, confirmedAt, decidedAt, activatedAt, lapsed } = followed;
  const { status, createdAt } = registration;
  const events: { what: string; at: string | null; ends?: true }[] = [
    { what: 'Registration started', at: createdAt },
    ...(lapsed && !confirmedAt ? [] : [{ what: 'Payment confirmed by you', at: confirmedAt }]),
    ...(activatedAt ? [{ what: 'Accepted by a reviewer', at: activatedAt }] : []),
    ...(status === 'rejected'
      ? [
          {
            what: lapsed ? 'The hold ended' : activatedAt ? 'Activation revoked' : 'Not accepted',
            at: decidedAt,
            ends: true as const,
          },
        ]
      : []),
    ...(status === 'pending_review' ? [{ what: 'A reviewer decides', at: null }] : []),
  ];
  return (
    <ol className="timeline">
      {events.map(({ what, at, ends }) => (
        <li key={what} className={ends ? 'ended' : at ? 'past' : 'to-come'}>
          <svg viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
            {ends ? (
              <path d="M-4-4l8 8M4-4l-8 8" stroke="currentColor" strokeWidth="2" />
            ) : at ? (
              <circle r="4.5" fill="currentColor" />
            ) : (
              <circle r="4" fill="none" stroke="currentColor" strokeWidth="1.75" />
            )}
          </svg>
          <span>{what}</span>
          <span className="secondary">{at ? <When at={at} /> : 'to come'}</span>
        </li>
      ))}
    </ol>
  );
}
