import type { Registration } from '#server/registration/register.schema.ts';
import type { QrCode } from '#app/lib/qr.server.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { QrImage } from '#app/ui/qr-image.tsx';

export interface PayHowProps {
  registration: Pick<Registration, 'paymentNote' | 'payUrl'>;
  qr: QrCode | null;
  fee: string;
  cashtag: string;
}

/** The note, and the two ways to the payment app: a link and a code to scan. */
export function PayHow({ registration: { paymentNote, payUrl }, qr, fee, cashtag }: PayHowProps) {
  return (
    <>
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
    </>
  );
}
