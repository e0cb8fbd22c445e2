import { CopyButton } from '#app/ui/copy-button.tsx';
import facts from '#app/ui/facts.module.css';
import styles from './payment-note.module.css';

/** The payment note of a registration, with a button that copies it. */
export function PaymentNote({ note }: { note: string }) {
  return (
    <dl className={`${facts.facts} ${styles.note}`}>
      <dt>Note</dt>
      <dd>
        <code>{note}</code>
        <CopyButton text={note} />
      </dd>
    </dl>
  );
}
