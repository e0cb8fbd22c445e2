import type { FollowedRegistration } from '#server/registration/index.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { ExactTime } from '#app/ui/moment.tsx';
import { left } from '#app/lib/formatters.ts';
import type { FormError } from '#app/lib/form-error.ts';
import card from '#app/ui/card.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import type { ConfirmationDraft } from './confirmation-draft.ts';
import { PayInstructions, type PayInstructionsProps } from './pay-instructions.tsx';
import styles from './pay.module.css';
import { Timeline } from './timeline.tsx';

export interface PayProps extends Omit<PayInstructionsProps, 'registration'> {
  progress: FollowedRegistration;
  /** The payment note of an ended registration that led to this one. */
  earlier: string | null;
  error: FormError | null;
  draft: ConfirmationDraft;
}

/** What to pay, to whom, with which note and until when; then the form that reports the payment. */
export function Pay({ progress, earlier, error, draft, qr, fee, cashtag }: PayProps) {
  const { registration } = progress;
  const { name, expiresAt } = registration;
  return (
    <>
      <p className={styles.intro}>
        Send {fee} with Cash App to <strong>{cashtag}</strong> with exactly this note. The name is
        reserved for you <ReservedUntil until={expiresAt} />.
      </p>
      {earlier && (
        <div className={styles.earlier}>
          <p>
            Already paid for your registration with the note <code>{earlier}</code>? Don’t pay
            again: enter that note as the confirmation text and report the payment.
          </p>
          <CopyButton text={earlier} label="Copy that note" />
        </div>
      )}
      <div className={`${card.card} ${styles.card}`}>
        <PayInstructions {...{ registration, qr, fee, cashtag }} />
        <ConfirmForm error={error} draft={draft} submitLabel="I have paid" purpose="payment">
          A reviewer will then look for the payment. It doesn’t matter who pays.
        </ConfirmForm>
      </div>
      <div className={styles.questions}>
        <details>
          <summary>If the payment is late</summary>
          <p>
            After the time above anyone can register “{name}”. If you have paid by then, open this
            page and report it: the name is yours again unless someone else has taken it.
          </p>
        </details>
        <details>
          <summary>If the amount is wrong</summary>
          <p>
            Report the payment anyway. A reviewer sees what arrived, and gives the reason on this
            page if it isn’t enough.
          </p>
        </details>
        <details>
          <summary>If the note is missing or wrong</summary>
          <p>
            Report the payment and enter Cash App’s confirmation text: a reviewer can find the
            payment by it. Don’t pay twice.
          </p>
        </details>
      </div>
      <Panel title="Progress">
        <Timeline progress={progress} />
      </Panel>
    </>
  );
}

/** "until 2026-11-23 17:02 UTC, 47 h 12 min left"; the second half needs scripts. */
function ReservedUntil({ until }: { until: string }) {
  const rest = useTextAt((now) => left(Date.parse(until) - now));
  return (
    <>
      until <ExactTime at={until} precision="minute" />
      <span className="needs-scripts">
        {' '}
        (<strong>{rest}</strong> left)
      </span>
    </>
  );
}
