import { useNetwork } from '#app/lib/network.tsx';
import styles from './secret-note.module.css';

/**
 * Stands before a command that sends the network’s secret, so that nobody copies it without; nothing where the network has
 * none.
 */
export function SecretNote() {
  const { credential, contactUrl } = useNetwork();
  if (credential === 'none') return null;
  return (
    <p className={styles.note}>
      <strong>This network {credential === 'required' ? 'asks for' : 'has'} a secret.</strong>{' '}
      {contactUrl === null ? (
        'Ask its operator for it first'
      ) : (
        <a href={contactUrl}>Ask for the secret</a>
      )}
      , then run <code>export WEBHOOK_SECRET=…</code> with it.
    </p>
  );
}
