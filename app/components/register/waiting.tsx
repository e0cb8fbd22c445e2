import type { FollowedRegistration } from '../../../server/services/follow.ts';
import { roughly } from '../../duration.ts';
import { count } from '../../format.ts';
import { CopyButton } from '../copy-button.tsx';
import { Panel } from '../panel.tsx';
import { ConfirmForm, type Refused } from './confirm-form.tsx';
import { Timeline } from './timeline.tsx';

export interface WaitingProps {
  followed: FollowedRegistration;
  refused: Refused | null;
}

/** Nothing to do but to wait, and how long that may be. */
export function Waiting({ followed, refused }: WaitingProps) {
  const { queue, usualMs, cashConfirmGiven, registration } = followed;
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
          <dl className="facts">
            <dt>Note</dt>
            <dd className="with-copy">
              <code>{registration.paymentNote}</code>
              <CopyButton text={registration.paymentNote} />
            </dd>
          </dl>
          {cashConfirmGiven ? (
            <p className="text-kept">Your confirmation text is kept, for reviewers alone to see.</p>
          ) : (
            <ConfirmForm refused={refused} label="Add it" needsText>
              It helps the reviewer to find the payment, above all where the note went missing.
            </ConfirmForm>
          )}
        </Panel>
      </div>
      <p className="secondary next">
        This page changes by itself when a reviewer has decided, and so does the title of its tab.
      </p>
    </>
  );
}
