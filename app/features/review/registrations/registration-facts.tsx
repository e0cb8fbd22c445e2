import { Link } from '@remix-run/react';
import type { RegistrationDetails } from '#server/review/index.ts';
import { dollars } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import facts from '#app/ui/facts.module.css';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import { Region } from '#app/ui/region.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { noteComparison, paymentLabel } from '../labels.ts';
import { NodeProofDetails } from '../node-proof.tsx';
import { DuplicateConfirmation, Fact, ReviewerName } from '../row-parts.tsx';
import styles from './registration-facts.module.css';

/** What is registered, and what was paid for it. */
export function RegistrationFacts({ registration }: { registration: RegistrationDetails }) {
  const { note, name, label, region, nodeId, confirmedAt, expiresAt, payment } = registration;
  const { cashConfirm, duplicateConfirmation, nodeProved, notices } = registration;
  return (
    <dl className={`${facts.facts} ${styles.facts}`}>
      <Fact term="Payment">
        <Status {...paymentLabel(registration)} />
        {payment.payments.map((paid) => (
          <span key={paid.id} className={text.remark}>
            <ExactTime at={paid.paidAt} />, {dollars(paid.amountUsd)}, {noteComparison(paid, note)}
            {/* All but one of them are refunded: the id finds them in the payment app. */}
            {payment.payments.length > 1 && (
              <>
                , <code>{paid.id}</code>
              </>
            )}
          </span>
        ))}
      </Fact>
      <Fact term="Fee">{dollars(registration.feeUsd)}</Fact>
      <Fact term="Payment note">
        <span className={styles.copyable}>
          <code>{note}</code>
          <CopyButton text={note} />
        </span>
      </Fact>
      {/* What the operator wrote with it, and the payments with another note that it names. */}
      <Fact term="Confirmation text">
        {cashConfirm ?? <span className={text.secondary}>none</span>}
        {duplicateConfirmation && (
          <div>
            <DuplicateConfirmation />
          </div>
        )}
        {payment.named.map((paid) => (
          <span key={paid.id} className={text.remark}>
            It names a payment of {dollars(paid.amountUsd)} on{' '}
            <ExactTime at={paid.paidAt} precision="date" /> with{' '}
            {paid.note === '' ? 'no note' : `the note “${paid.note}”`}.
          </span>
        ))}
      </Fact>
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
        <NodeProofDetails nodeProved={nodeProved} notices={notices} />
      </Fact>
    </dl>
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
