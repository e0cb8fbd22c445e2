import { Link } from '@remix-run/react';
import type { RegistrationDetails } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import facts from '#app/ui/facts.module.css';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import { Region } from '#app/ui/region.tsx';
import { NodeProofDetails } from '../node-proof.tsx';
import { Fact, ReviewerName } from '../row-parts.tsx';
import { Comparison } from './comparison.tsx';
import styles from './registration-facts.module.css';

/** What is registered, beside what was paid for it. */
export function RegistrationFacts({ registration }: { registration: RegistrationDetails }) {
  const { name, label, region, nodeId, confirmedAt, expiresAt, nodeProved } = registration;
  return (
    <>
      <Comparison registration={registration} />
      <dl className={`${facts.facts} ${styles.facts}`}>
        {confirmedAt && (
          <Fact term="Payment reported">
            <RelativeTime at={confirmedAt} />
            {confirmedAt > expiresAt && ', after the reservation expired'}
          </Fact>
        )}
        {label !== name && <Fact term="Label">{label}</Fact>}
        <Fact term="Kinds">{registration.kinds.join(', ')}</Fact>
        <Fact term="Class">{registration.class}</Fact>
        <Fact term="Region">
          <Region code={region} />
        </Fact>
        <Fact term="Node">
          <Link to={hrefs.node(nodeId)}>
            <code>{nodeId}</code>
          </Link>
          <NodeProofDetails nodeProved={nodeProved} />
        </Fact>
      </dl>
    </>
  );
}

/** When the registration was started, expires or expired, and was decided. */
export function RegistrationDates({ registration }: { registration: RegistrationDetails }) {
  const { status, createdAt, expiresAt, activatedAt, decidedAt, decidedBy, rejectionReason } =
    registration;
  return (
    <dl className={`${facts.facts} ${styles.facts} ${styles.dates}`}>
      <Fact term="Started">
        <ExactTime at={createdAt} />
      </Fact>
      {status === 'pending_payment' && (
        <Fact term="Reserved until">
          <ExactTime at={expiresAt} />
        </Fact>
      )}
      {activatedAt && status === 'active' && (
        <Fact term="Active since">
          <ExactTime at={activatedAt} />
        </Fact>
      )}
      {activatedAt && status === 'rejected' && decidedAt && (
        <Fact term="Was active">
          <ExactTime at={activatedAt} /> to <ExactTime at={decidedAt} />
        </Fact>
      )}
      {decidedBy && (
        <Fact term="Decided by">
          <ReviewerName email={decidedBy} />
        </Fact>
      )}
      {rejectionReason && <Fact term="Reason">{rejectionReason}</Fact>}
    </dl>
  );
}
