import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { dollars, span } from '#app/lib/formatters.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { FactList } from '#app/ui/fact-list.tsx';
import { Operator } from '#app/ui/operator.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import { CopyRows } from './copy-rows.tsx';
import styles from './ended.module.css';
import split from './split.module.css';
import { Timeline } from './timeline.tsx';
import { DayAndTime } from './when.tsx';
import { answersOf, wizardHref } from './wizard.ts';

/** Where to begin again. Of a payment the reviewers learn from the next registration. */
function waysOf({ registration }: RegistrationState['progress']) {
  const answers = answersOf(registration);
  const paid = { ...answers, earlier: registration.paymentNote };
  return {
    again: wizardHref({ ...answers, step: 'check' }),
    other: wizardHref({ ...answers, name: '' }),
    paidAgain: wizardHref({ ...paid, step: 'check' }),
    paidOther: wizardHref({ ...paid, name: '' }),
  };
}

/** A reviewer has rejected it, or has revoked the name: the reason comes first. */
export function Reason({ progress }: RegistrationState) {
  const { registration, timeline } = progress;
  const at = timeline?.at(-1)?.at ?? registration.updatedAt;
  return (
    <div className={styles.reason}>
      <p>
        A reviewer’s reason, <DayAndTime at={at} />
      </p>
      <blockquote>{registration.rejectionReason}</blockquote>
    </div>
  );
}

/** What can be done now that it was rejected, revoked, cancelled or released. */
export function Ended({ progress }: RegistrationState) {
  const { cancelled, activated, registration } = progress;
  const { name } = registration;
  const { again, other, paidAgain } = waysOf(progress);
  return (
    <>
      {!cancelled && <h2 className={styles.heading}>What you can do</h2>}
      <ul className={styles.ways}>
        {cancelled ? (
          <>
            <Way title="Changed your mind?" to={again} label={`Register ${name} again`} primary>
              While {name} is available you can register it again with the same details.
            </Way>
            {!activated && (
              <Way
                title="Paid before you cancelled?"
                to={paidAgain}
                label="Register again, already paid"
              >
                Register again: reviewers see both registrations and your payment. Don’t pay again.
              </Way>
            )}
          </>
        ) : (
          <>
            <Way
              title={activated ? 'Register it again' : 'You paid, and it was missed'}
              to={paidAgain}
              label="Register again, already paid"
              primary
            >
              Register again: reviewers see both registrations and this payment. Don’t pay again.
            </Way>
            {!activated && (
              <Way title="You didn’t pay" to={again} label="Start again">
                You owe nothing. Start again with the same details and a new note.
              </Way>
            )}
            <Way title="You want another name" to={other} label="Choose another name">
              Your node and its details are filled in.
            </Way>
          </>
        )}
      </ul>
      <History progress={progress} />
    </>
  );
}

interface WayProps {
  title: string;
  to: string;
  label: string;
  primary?: boolean;
  children: ReactNode;
}

const Way = ({ title, to, label, primary = false, children }: WayProps) => (
  <li>
    <div>
      <h3>{title}</h3>
      <p>{children}</p>
    </div>
    <Link className={primary ? button.primary : button.button} to={to}>
      {label}
    </Link>
  </li>
);

export const History = ({ progress }: Pick<RegistrationState, 'progress'>) => (
  <section className={styles.history} aria-labelledby="history">
    <h2 id="history">History</h2>
    <Timeline progress={progress} />
  </section>
);

/** In the aside: what was or could have been paid, and what of refunds. */
export function EndedFacts({ progress, node }: RegistrationState) {
  const { refundPolicy } = useNetwork();
  const { cancelled, confirmed, registration } = progress;
  const { paymentNote, feeUsd, nodeId, cashConfirmGiven } = registration;
  const unpaid = cancelled && !confirmed;
  return (
    <Section title={unpaid ? 'Details' : 'Your payment'}>
      <FactList
        facts={[
          unpaid ? { term: 'Node', value: node?.label ?? nodeId } : null,
          unpaid ? null : { term: 'Amount', value: dollars(feeUsd) },
          { term: 'Note', value: <code>{paymentNote}</code> },
          unpaid
            ? { term: 'Fee', value: 'none due' }
            : {
                term: 'Confirmation text',
                value: cashConfirmGiven ? 'given' : <span className={text.secondary}>none</span>,
              },
        ]}
      />
      <p className={`${text.secondary} ${styles.policy}`}>
        {unpaid && 'If you paid: '}
        {refundPolicy}
      </p>
      {!cancelled && (
        <p className={`${text.secondary} ${styles.policy}`}>
          Questions about this decision? Ask <Operator />.
        </p>
      )}
      <p className={styles.policy}>
        <CopyButton text={paymentNote} label="Copy note" />
      </p>
    </Section>
  );
}

/** The reservation has expired: an operator who has paid can still report it; others start again. */
export function Expired({ progress, error, draft }: RegistrationState) {
  const { registration, nameGone } = progress;
  const { name, paymentNote, createdAt, expiresAt } = registration;
  // The payment was reported just now, with this text.
  const tooLate = error?.code === 'name_taken';
  const confirmation = error?.values['cashConfirm'] ?? '';
  const { again, other, paidOther } = waysOf(progress);
  return (
    <>
      <div className={`${split.split} ${styles.two}`}>
        {nameGone || tooLate ? (
          <>
            <section aria-labelledby="if-paid">
              <h2 id="if-paid">If you paid</h2>
              <p role={tooLate ? 'alert' : undefined}>
                {tooLate && `${name} is no longer free. `}
                Don’t pay again. Register another name with this payment: reviewers see both
                registrations.
                {confirmation !== '' && (
                  <>
                    {' '}
                    Enter your text <code>{confirmation}</code> there.
                  </>
                )}
              </p>
              <CopyRows
                rows={[
                  { label: 'Your payment’s note', name: 'Note', value: paymentNote, mono: true },
                ]}
              />
              <Link className={button.primary} to={paidOther}>
                Choose another name, already paid
              </Link>
            </section>
            <section aria-labelledby="if-unpaid">
              <h2 id="if-unpaid">If you didn’t pay</h2>
              <p>You owe nothing. Your node and its details are filled in for another name.</p>
              <Link className={button.button} to={other}>
                Choose another name
              </Link>
            </section>
          </>
        ) : (
          <>
            <section aria-labelledby="if-paid">
              <h2 id="if-paid">If you paid</h2>
              <p>
                Report it: {name} is reserved for you again, and a reviewer looks for the payment
                with the note <code>{paymentNote}</code>. Don’t pay again.
              </p>
              <ConfirmForm error={error} draft={draft} submitLabel="I have paid" purpose="payment">
                At the end of the receipt in Cash App.
              </ConfirmForm>
            </section>
            <section aria-labelledby="if-unpaid">
              <h2 id="if-unpaid">If you didn’t pay</h2>
              <p>
                You owe nothing. Reserve it for another{' '}
                {span(Date.parse(expiresAt) - Date.parse(createdAt))} with the same details; you get
                a new note.
              </p>
              <div className={styles.buttons}>
                <Link className={button.button} to={again}>
                  Reserve {name} again
                </Link>
                <Link className={button.button} to={other}>
                  Choose another name
                </Link>
              </div>
            </section>
          </>
        )}
      </div>
      <History progress={progress} />
    </>
  );
}
