import type { MutableRefObject } from 'react';
import { exact, useTextAt } from '#app/lib/clock.ts';
import { left } from '#app/lib/duration.ts';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ConfirmForm, type Refused } from './confirm-form.tsx';
import { PayHow, type PayHowProps } from './pay-how.tsx';
import { Timeline } from './timeline.tsx';
import type { Draft } from './use-draft.ts';

export interface PayProps extends Omit<PayHowProps, 'registration'> {
  followed: FollowedRegistration;
  /** The payment note of the registration that led to this one. */
  earlier: string | null;
  refused: Refused | null;
  draft: MutableRefObject<Draft>;
}

/** What to pay, to whom, with which note, and until when; then the word that it is paid. */
export function Pay({ followed, earlier, refused, draft, qr, fee, cashtag }: PayProps) {
  const { registration } = followed;
  const { name, expiresAt } = registration;
  return (
    <>
      <p className="pay-intro">
        Send {fee} with Cash App to <strong>{cashtag}</strong> with exactly this note. The name is
        held for you <Held until={expiresAt} />.
      </p>
      {earlier && (
        <div className="paid-before">
          <p>
            Paid already, for your registration with the note <code>{earlier}</code>? Then do not
            pay again: put that note in the place of the confirmation text, and say that you have
            paid.
          </p>
          <CopyButton text={earlier} label="Copy that note" />
        </div>
      )}
      <div className="card pay">
        <PayHow {...{ registration, qr, fee, cashtag }} />
        <ConfirmForm refused={refused} draft={draft} label="I have paid">
          Then a reviewer looks for the payment. It does not matter who pays.
        </ConfirmForm>
      </div>
      <div className="what-if">
        <details>
          <summary>If the payment is late</summary>
          <p>
            After the time above anybody may register {name}. If you have paid by then, open this
            page and say so: the name is yours again as long as nobody else has taken it.
          </p>
        </details>
        <details>
          <summary>If the amount is wrong</summary>
          <p>
            Say all the same that you have paid. A reviewer sees what came, and gives the reason on
            this page if it is not enough.
          </p>
        </details>
        <details>
          <summary>If the note is missing or wrong</summary>
          <p>
            Say that you have paid, and put the confirmation text of Cash App into the field: a
            reviewer finds the payment by it. Do not pay twice.
          </p>
        </details>
      </div>
      <div className="panels">
        <Panel title="Where it stands">
          <Timeline followed={followed} />
        </Panel>
      </div>
    </>
  );
}

/** "until 2026-11-23 17:02 UTC, another 47 h 12 min": the second half lives, and is not there where it cannot. */
function Held({ until }: { until: string }) {
  const rest = useTextAt((now) => left(Date.parse(until) - now));
  return (
    <>
      until <time dateTime={until}>{exact(until).replace(/:\d\d UTC/, ' UTC')}</time>
      <span className="needs-scripts">
        , for another <strong className="countdown">{rest}</strong>
      </span>
    </>
  );
}
