import { Link } from '@remix-run/react';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Operator } from '#app/ui/operator.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import { PaymentNote } from './pay.tsx';
import styles from './registration-page.module.css';
import { Timeline } from './timeline.tsx';
import { answersOf, wizardHref } from './wizard.ts';

/** A registration that was cancelled, has expired, or was rejected: what can be done about it, and its history. */
export function Ended(state: RegistrationState) {
  const { progress } = state;
  return (
    <div className={`${styles.panels} ${styles.two}`}>
      {progress.lapsed ? <Expired {...state} /> : <StartAgain {...state} />}
      <Panel title="History" className={progress.lapsed ? styles.wide : ''}>
        <Timeline progress={progress} />
      </Panel>
    </div>
  );
}

/** Shown once the operator has cancelled it or released the name, or a reviewer has rejected or revoked it. */
function StartAgain({ progress }: RegistrationState) {
  const { registration, cancelled, confirmed, activated } = progress;
  const { paymentNote, rejectionReason } = registration;
  // Its payment counts for the next registration.
  const paid = !cancelled || (confirmed && !activated);
  const answers = { ...answersOf(registration), ...(paid && { earlier: paymentNote }) };
  return (
    <Panel title={cancelled ? 'What next?' : 'The reviewer’s reason'}>
      {!cancelled && <blockquote className={styles.reason}>{rejectionReason}</blockquote>}
      <p className={text.secondary}>
        {cancelled
          ? 'Changed your mind? While the name is free you can register it again with the same details.'
          : 'This registration has ended. You can start another one with the same details.'}
        {paid &&
          ' If you have already paid, don’t pay again: enter the note of that payment as the confirmation text.'}
      </p>
      {paid && <PaymentNote note={paymentNote} />}
      {!cancelled && (
        <p className={text.secondary}>
          Questions about this decision? Ask <Operator />.
        </p>
      )}
      <ul className={chips.chips}>
        <li>
          <Link className={button.primary} to={wizardHref({ ...answers, step: 'check' })}>
            {cancelled ? 'Register it again' : 'Try again'}
          </Link>
        </li>
        <li>
          <Link className={button.button} to={wizardHref(answers)}>
            Choose another name
          </Link>
        </li>
      </ul>
    </Panel>
  );
}

/** The reservation has expired: an operator who has paid can still report it; others start again. */
function Expired({ progress: { registration, nameGone }, error, draft }: RegistrationState) {
  const { name, paymentNote } = registration;
  // The payment was reported just now, with this text.
  const tooLate = error?.code === 'name_taken';
  const confirmation = error?.values['cashConfirm'] ?? '';
  if (nameGone || tooLate)
    return (
      <Panel title="Someone else has the name" className={styles.wide}>
        <p role={tooLate ? 'alert' : undefined}>
          Someone else registered “{name}” after your reservation expired, so it is no longer
          available.
        </p>
        <p>
          If you have paid, don’t pay again: register another name, and enter the note of your
          payment as its confirmation text
          {confirmation !== '' && (
            <>
              , along with your text <code>{confirmation}</code>
            </>
          )}
          . A reviewer will then see both. If you haven’t paid, you owe nothing.
        </p>
        <PaymentNote note={paymentNote} />
        <Link
          className={button.primary}
          to={wizardHref({ ...answersOf(registration), name: '', earlier: paymentNote })}
        >
          Register another name
        </Link>
      </Panel>
    );
  return (
    <>
      <Panel title="If you paid">
        <p>
          Report it: “{name}” is yours again unless someone else has taken it, and a reviewer will
          look for the payment with the note <code>{paymentNote}</code>.
        </p>
        <ConfirmForm error={error} draft={draft} submitLabel="I have paid" purpose="payment">
          Your registration then waits for a reviewer.
        </ConfirmForm>
      </Panel>
      <Panel title="If you didn’t pay">
        <p>You owe nothing. Start again with the same details.</p>
        <Link
          className={button.button}
          to={wizardHref({ ...answersOf(registration), step: 'check' })}
        >
          Start again
        </Link>
      </Panel>
    </>
  );
}
