import { useTextAt } from '#app/lib/clock.ts';
import { dollars, left } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import facts from '#app/ui/facts.module.css';
import { ExactTime } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { QrImage } from '#app/ui/qr-image.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import styles from './pay.module.css';
import { Timeline } from './timeline.tsx';

/** What to pay, to whom, with which note and until when; then the form that reports the payment. */
export function Pay({ progress, earlier, error, draft, qr }: RegistrationState) {
  const { registration, cashtag } = progress;
  const { name, feeUsd, expiresAt } = registration;
  return (
    <>
      <p className={styles.intro}>
        Send {dollars(feeUsd)} with Cash App to <strong>{cashtag}</strong> with exactly this note.
        The name is reserved for you <ReservedUntil until={expiresAt} />.
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
        <PayInstructions progress={progress} qr={qr} />
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

/** The note, and two ways to the payment app: a link, and a code to scan. */
export function PayInstructions({ progress, qr }: Pick<RegistrationState, 'progress' | 'qr'>) {
  const { registration, cashtag } = progress;
  const { paymentNote, payUrl, feeUsd } = registration;
  return (
    <>
      <div>
        <h2 id="note" className={styles.noteHead}>
          Payment note
        </h2>
        <div className={styles.note}>
          <code role="group" aria-labelledby="note">
            {paymentNote}
          </code>
          <CopyButton text={paymentNote} />
        </div>
        <p className={text.secondary}>
          Reviewers find your payment by this note. Without it the review takes longer, but nothing
          is lost.
        </p>
        <a
          className={`${button.button} ${styles.open}`}
          href={payUrl}
          target="_blank"
          rel="noreferrer noopener"
        >
          Open Cash App
        </a>
      </div>
      {qr && (
        <figure className={styles.qr}>
          <QrImage
            qr={qr}
            label={`QR code of the payment link: ${dollars(feeUsd)} to ${cashtag} with the note`}
          />
          <figcaption className={text.secondary}>Scan to pay on a phone</figcaption>
        </figure>
      )}
    </>
  );
}

/** The payment note of a registration, with a button that copies it. */
export function PaymentNote({ note }: { note: string }) {
  return (
    <dl className={`${facts.facts} ${styles.noteFact}`}>
      <dt>Note</dt>
      <dd>
        <code>{note}</code>
        <CopyButton text={note} />
      </dd>
    </dl>
  );
}
