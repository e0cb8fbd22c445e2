import type { RegistrationDetails } from '#server/review/index.ts';
import { ExactTime } from '#app/ui/moment.tsx';
import facts from '#app/ui/facts.module.css';
import { ReviewerName } from '../reviewer-name.tsx';
import styles from './registration-dates.module.css';

/** When the registration was started, expires or expired, and was decided. */
export function RegistrationDates({ registration }: { registration: RegistrationDetails }) {
  const { status, createdAt, expiresAt, activatedAt, decidedAt, decidedBy, rejectionReason } =
    registration;
  return (
    <dl className={`${facts.facts} ${styles.dates}`}>
      <dt>Started</dt>
      <dd>
        <ExactTime at={createdAt} />
      </dd>
      {status === 'pending_payment' && (
        <>
          <dt>Reserved until</dt>
          <dd>
            <ExactTime at={expiresAt} />
          </dd>
        </>
      )}
      {activatedAt && status === 'active' && (
        <>
          <dt>Active since</dt>
          <dd>
            <ExactTime at={activatedAt} />
          </dd>
        </>
      )}
      {activatedAt && status === 'rejected' && decidedAt && (
        <>
          <dt>Was active</dt>
          <dd>
            <ExactTime at={activatedAt} /> to <ExactTime at={decidedAt} />
          </dd>
        </>
      )}
      {decidedBy && (
        <>
          <dt>Decided by</dt>
          <dd>
            <ReviewerName email={decidedBy} />
          </dd>
        </>
      )}
      {rejectionReason && (
        <>
          <dt>Reason</dt>
          <dd>{rejectionReason}</dd>
        </>
      )}
    </dl>
  );
}
