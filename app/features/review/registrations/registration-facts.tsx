import { Link } from '@remix-run/react';
import type { PaymentRow, RegistrationDetails } from '#server/review/index.ts';
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
import { DuplicateConfirmation, ReviewerName } from '../row-parts.tsx';
import styles from './registration-facts.module.css';

/** What is registered, and what was paid for it. */
export function RegistrationFacts({ registration }: { registration: RegistrationDetails }) {
  const { note, name, label, kinds, region, nodeId, feeUsd, confirmedAt, expiresAt } = registration;
  const { nodeProved, notices } = registration;
  return (
    <dl className={`${facts.facts} ${styles.facts}`}>
      <dt>Payment</dt>
      <dd>
        <Payment registration={registration} />
      </dd>
      <dt>Fee</dt>
      <dd>{dollars(feeUsd)}</dd>
      <dt>Payment note</dt>
      <dd className={styles.copyable}>
        <code>{note}</code>
        <CopyButton text={note} />
      </dd>
      <dt>Confirmation text</dt>
      <dd>
        <ConfirmationText registration={registration} />
      </dd>
      {confirmedAt && (
        <>
          <dt>Payment reported</dt>
          <dd>
            <RelativeTime at={confirmedAt} />
            {confirmedAt > expiresAt && ', after the reservation expired'}
          </dd>
        </>
      )}
      {label !== name && (
        <>
          <dt>Label</dt>
          <dd>{label}</dd>
        </>
      )}
      <dt>Kinds</dt>
      <dd>{kinds.join(', ')}</dd>
      <dt>Class</dt>
      <dd>{registration.class}</dd>
      <dt>Region</dt>
      <dd>
        <Region code={region} />
      </dd>
      <dt>Node</dt>
      <dd>
        <Link to={hrefs.node(nodeId)}>
          <code>{nodeId}</code>
        </Link>
        <NodeProofDetails nodeProved={nodeProved} notices={notices} />
      </dd>
    </dl>
  );
}

/** Whether it was paid, and the payments with its note. */
function Payment({ registration }: { registration: RegistrationDetails }) {
  const { note, payment } = registration;
  const { icon, word } = paymentLabel(registration);
  return (
    <>
      <Status status={icon} word={word} />
      {payment.payments.map((paid) => (
        <span key={paid.id} className={`${styles.line} ${text.secondary}`}>
          <ExactTime at={paid.paidAt} />, {dollars(paid.amountUsd)}, {noteComparison(paid, note)}
          {/* All but one of them are refunded: the id finds them in the payment app. */}
          {payment.payments.length > 1 && (
            <>
              , <code>{paid.id}</code>
            </>
          )}
        </span>
      ))}
    </>
  );
}

/** What the operator wrote with the confirmation, and the payments with another note that it names. */
function ConfirmationText({
  registration: { cashConfirm, payment, duplicateConfirmation },
}: {
  registration: RegistrationDetails;
}) {
  return (
    <>
      {cashConfirm ?? <span className={text.secondary}>none</span>}
      {duplicateConfirmation && (
        <span className={styles.line}>
          <DuplicateConfirmation />
        </span>
      )}
      {payment.named.map((paid) => (
        <span key={paid.id} className={`${styles.line} ${text.secondary}`}>
          <NamedPayment payment={paid} />
        </span>
      ))}
    </>
  );
}

const NamedPayment = ({ payment: { amountUsd, paidAt, note } }: { payment: PaymentRow }) => (
  <>
    It names a payment of {dollars(amountUsd)} on <ExactTime at={paidAt} precision="date" /> with{' '}
    {note === '' ? 'no note' : `the note “${note}”`}.
  </>
);

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
