import { Link } from '@remix-run/react';
import { useSavedRegistrations } from './use-saved-registrations.ts';
import styles from './wizard.module.css';

/** For a name that is taken: if it was registered in this browser, a link to that registration. */
export function OwnNameHint({ name }: { name: string | null }) {
  const own = useSavedRegistrations().find((saved) => saved.name === name && !saved.ended);
  return (
    <p className={own && styles.hint} aria-live="polite">
      {own && (
        <>
          You registered {own.name} on this device:{' '}
          <Link to={`/register/${own.id}`}>continue with it</Link>.
        </>
      )}
    </p>
  );
}
