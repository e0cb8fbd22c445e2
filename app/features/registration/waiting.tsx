import type { MutableRefObject } from 'react';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { roughly } from '#app/lib/duration.ts';
import { count } from '#app/lib/formatters.ts';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { ConfirmForm, type Refused } from './confirm-form.tsx';
import { NoteToCopy } from './note-to-copy.tsx';
import { PayHow, type PayHowProps } from './pay-how.tsx';
import { Timeline } from './timeline.tsx';
import type { Draft } from './use-draft.ts';

export interface WaitingProps extends Omit<PayHowProps, 'registration'> {
  followed: FollowedRegistration;
  refused: Refused | null;
  draft: MutableRefObject<Draft>;
}

/** Nothing to do but to wait, and how long that may be. What was said by mistake can be made good. */
export function Waiting({ followed, refused, draft, qr, fee, cashtag }: WaitingProps) {
  const { queue, usualMs, cashConfirmGiven, registration } = followed;
  const { paymentNote, updatedAt } = registration;
  return (
    <>
      <div className="panels two">
        <Panel title="Where it stands">
          <Timeline followed={followed} />
          {queue && (
            <p className="queue">
              {queue.place === 1
                ? 'It is the next one'
                : `${count(queue.place - 1)} ${queue.place === 2 ? 'is' : 'are'} before it`}
              {queue.waiting > 1 && `, of ${count(queue.waiting)} that wait`}.{' '}
              {usualMs !== null && `Reviews take about ${roughly(usualMs)} lately.`}
            </p>
          )}
        </Panel>
        <Panel title="Your payment">
          <NoteToCopy note={paymentNote} />
          {cashConfirmGiven ? (
            <>
              <p className="text-kept">
                Your confirmation text is kept, for reviewers alone to see. You gave it{' '}
                {/* Nothing else changes a registration that waits. */}
                <RelativeTime at={updatedAt} />.
              </p>
              {/* Another one once it is corrected: closed, and empty. */}
              <details key={updatedAt} open={refused !== null}>
                <summary>Correct it</summary>
                <ConfirmForm
                  refused={refused}
                  draft={draft}
                  label="Send the new text"
                  needsText
                  corrects
                >
                  It takes the place of the one that you gave.
                </ConfirmForm>
              </details>
            </>
          ) : (
            <ConfirmForm refused={refused} draft={draft} label="Add it" needsText>
              It helps the reviewer to find the payment, above all where the note went missing.
            </ConfirmForm>
          )}
        </Panel>
      </div>
      <details className="not-paid">
        <summary>I have not paid yet</summary>
        <p>
          Then pay now: send {fee} with Cash App to <strong>{cashtag}</strong> with exactly this
          note. You need not say it again. A reviewer who finds no payment may reject the
          registration.
        </p>
        <div className="card pay">
          <PayHow {...{ registration, qr, fee, cashtag }} />
        </div>
      </details>
      <p className="secondary next">
        <span className="needs-scripts">
          This page changes by itself when a reviewer has decided, and so does the title of its tab.
        </span>
        <span className="without-scripts">
          Reload this page to see whether a reviewer has decided.
        </span>
      </p>
    </>
  );
}
