import { useNetwork } from '#app/lib/network.tsx';
import button from './button.module.css';
import styles from './secret-note.module.css';

/**
 * Stands before a command that sends the network’s secret, so that nobody copies it without; nothing where the network has
 * none.
 * @param prominent as a box with a button, above the first of several commands
 */
export function SecretNote({ prominent = false }: { prominent?: boolean }) {
  const { credential, contactUrl } = useNetwork();
  if (credential === 'none') return null;
  const ask = contactUrl !== null && (
    <a href={contactUrl} className={prominent ? button.button : undefined}>
      Ask for the secret
    </a>
  );
  const has = (
    <strong>This network {credential === 'required' ? 'asks for' : 'has'} a secret.</strong>
  );
  if (prominent)
    return (
      <div className={styles.box}>
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
          <path d="M6.2 6.6a3.4 3.4 0 1 1 0 6.8a3.4 3.4 0 1 1 0 -6.8M9.6 10H17.5v2.8M14.2 10v2.2" />
        </svg>
        <p>
          {has} Get it first{!ask && ' from its operator'}: heartbeats{' '}
          {credential === 'required' ? 'without it' : 'with a wrong one'} are rejected. The commands
          below take it from the variable <code>WEBHOOK_SECRET</code>.
        </p>
        {ask}
      </div>
    );
  return (
    <p className={styles.note}>
      {has} {ask || 'Ask its operator for it first'}, then run <code>export WEBHOOK_SECRET=…</code>{' '}
      with it.
    </p>
  );
}
