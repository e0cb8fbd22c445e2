import { exact, useTextAt } from '../../clock.ts';
import { left } from '../../duration.ts';
import type { QrCode } from '../../qr.server.ts';
import type { FollowedRegistration } from '../../../server/services/follow.ts';
import { CopyButton } from '../copy-button.tsx';
import { Panel } from '../panel.tsx';
import { QrImage } from '../qr-image.tsx';
import { ConfirmForm, type Refused } from './confirm-form.tsx';
import { Timeline } from './timeline.tsx';

export interface PayProps {
  followed: FollowedRegistration;
  refused: Refused | null;
  qr: QrCode | null;
  fee: string;
  cashtag: string;
}

/** What to pay, to whom, with which note, and until when; then the word that it is paid. */
export function Pay({ followed, refused, qr, fee, cashtag }: PayProps) {
  const { registration } = followed;
  const { name, paymentNote, payUrl, expiresAt } = registration;
  return (
    <>
      <p className="pay-intro">
        Send {fee} with Cash App to <strong>{cashtag}</strong> with exactly this note. The name is
        held for you <Held until={expiresAt} />.
      </p>
      <div className="card pay">
        <div className="pay-note">
          <h2 id="note">Payment note</h2>
          <div className="note">
            <code aria-labelledby="note">{paymentNote}</code>
            <CopyButton text={paymentNote} />
          </div>
          <p className="secondary">
            A reviewer finds your payment by this note. Without it the review takes longer, but
            nothing is lost.
          </p>
          <a className="button primary" href={payUrl} target="_blank" rel="noreferrer noopener">
            Open Cash App
          </a>
        </div>
        {qr && (
          <figure className="qr">
            <QrImage
              qr={qr}
              label={`QR code of the payment link: ${fee} to ${cashtag} with the note`}
            />
            <figcaption className="secondary">Scan to pay on a phone</figcaption>
          </figure>
        )}
        <ConfirmForm refused={refused} label="I have paid">
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
