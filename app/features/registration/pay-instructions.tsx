import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { QrCode } from '#app/lib/qr.server.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import facts from '#app/ui/facts.module.css';
import { QrImage } from '#app/ui/qr-image.tsx';
import text from '#app/ui/text.module.css';
import styles from './pay.module.css';

export interface PayInstructionsProps {
  registration: Pick<Registration, 'paymentNote' | 'payUrl'>;
  qr: QrCode | null;
  fee: string;
  cashtag: string;
}

/** The note, and two ways to the payment app: a link, and a code to scan. */
export function PayInstructions({
  registration: { paymentNote, payUrl },
  qr,
  fee,
  cashtag,
}: PayInstructionsProps) {
  return (
    <>
      <div>
        <h2 id="note" className={styles.noteHead}>
          Payment note
        </h2>
        <div className={styles.note}>
          <code aria-labelledby="note">{paymentNote}</code>
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
            label={`QR code of the payment link: ${fee} to ${cashtag} with the note`}
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
