import type { FollowedRegistration } from '#server/registration/index.ts';
import { count, dollars, roughly } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import { PayInstructions, PaymentNote } from './pay.tsx';
import styles from './registration-page.module.css';
import pay from './pay.module.css';
import { Timeline } from './timeline.tsx';

/** The registration waits for a reviewer: how long that may take, and what can be corrected meanwhile. */
export function Waiting({ progress, error, draft, qr }: RegistrationState) {
  const { queue, usualMs, cashConfirmGiven, cashtag, registration, timeline } = progress;
  const { paymentNote, updatedAt, feeUsd } = registration;
  return (
    <>
      <div className={`${styles.panels} ${styles.two}`}>
        <Panel title="Progress">
          <Timeline progress={progress} />
          {queue && (
            <p>
              {queuePosition(queue)}{' '}
              {usualMs !== null && `Recent reviews took about ${roughly(usualMs)}.`}
            </p>
          )}
        </Panel>
        <Panel title="Your payment">
          <PaymentNote note={paymentNote} />
          {cashConfirmGiven ? (
            <>
              <p>
                You sent a confirmation text
                {/* Corrected details and a proof also change a registration that waits. */}
                {!timeline?.some(({ event }) => event === 'corrected' || event === 'proved') && (
                  <>
                    {' '}
                    <RelativeTime at={updatedAt} />
                  </>
                )}
                . Only reviewers can see it.
              </p>
              {/* Keyed, so that it is closed and empty again once a correction was sent. */}
              <details key={updatedAt} open={error !== null}>
                <summary>Correct it</summary>
                <ConfirmForm
                  error={error}
                  draft={draft}
                  submitLabel="Send new text"
                  purpose="correction"
                >
                  It replaces the text you sent.
                </ConfirmForm>
              </details>
            </>
          ) : (
            <ConfirmForm error={error} draft={draft} submitLabel="Add text" purpose="text">
              It helps the reviewer find the payment, especially if the note went missing.
            </ConfirmForm>
          )}
        </Panel>
      </div>
      <details className={styles.below}>
        <summary>I haven’t paid yet</summary>
        <p>
          Pay now: send {dollars(feeUsd)} with Cash App to <strong>{cashtag}</strong> with exactly
          this note. You don’t need to report it again. If no payment is found, the registration may
          be rejected.
        </p>
        <div className={`${card.card} ${pay.card}`}>
          <PayInstructions progress={progress} qr={qr} />
        </div>
      </details>
      <p className={`${text.secondary} ${styles.below}`}>
        <span className="needs-scripts">
          This page and the title of its tab update when a reviewer has decided.
        </span>
        <span className="without-scripts">
          Reload this page to see whether a reviewer has decided.
        </span>
      </p>
    </>
  );
}

function queuePosition({ position, waiting }: NonNullable<FollowedRegistration['queue']>): string {
  if (position === 1)
    return waiting > 1 ? `You’re next (${count(waiting)} waiting).` : 'You’re next.';
  return `${count(position - 1)} ahead of you (${count(waiting)} waiting).`;
}
