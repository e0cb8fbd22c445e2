import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { Panel } from '#app/ui/panel.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import type { ConfirmationDraft } from './confirmation-draft.ts';
import styles from './panels.module.css';
import { PaymentNote } from './payment-note.tsx';
import { Timeline } from './timeline.tsx';
import { answersOf, wizardHref } from './wizard.ts';

export interface ExpiredProps {
  progress: FollowedRegistration;
  error: FormError | null;
  draft: ConfirmationDraft;
}

/** The reservation expired: an operator who has paid can still report it; others start again. */
export function Expired({ progress, error, draft }: ExpiredProps) {
  const { registration, nameGone } = progress;
  const { name, paymentNote } = registration;
  const tooLate = error?.code === 'name_taken';
  return (
    <div className={`${styles.panels} ${styles.two}`}>
      {nameGone || tooLate ? (
        <NameTaken
          progress={progress}
          tooLate={tooLate}
          confirmation={error?.values['cashConfirm'] ?? ''}
        />
      ) : (
        <>
          <Panel title="If you paid">
            <p>
              Report it: “{name}” is yours again unless someone else has taken it, and a reviewer
              will look for the payment with the note <code>{paymentNote}</code>.
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
      )}
      <Panel title="History" className={styles.wide}>
        <Timeline progress={progress} />
      </Panel>
    </div>
  );
}

interface NameTakenProps {
  progress: FollowedRegistration;
  /** The payment was reported just now. */
  tooLate: boolean;
  /** The confirmation text that was sent with it. */
  confirmation: string;
}

/** What to do when someone else has registered the name since. */
function NameTaken({ progress: { registration }, tooLate, confirmation }: NameTakenProps) {
  const { name, paymentNote } = registration;
  return (
    <Panel title="Someone else has the name" className={styles.wide}>
      <p role={tooLate ? 'alert' : undefined}>
        Someone else registered “{name}” after your reservation expired, so it is no longer
        available.
      </p>
      <p>
        If you have paid, don’t pay again: register another name, and enter the note of your payment
        as its confirmation text
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
}
