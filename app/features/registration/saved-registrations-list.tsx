import { Link } from '@remix-run/react';
import { useId } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import text from '#app/ui/text.module.css';
import { forgetRegistration, useSavedRegistrations } from './saved-registrations.ts';
import styles from './saved-registrations.module.css';

/** Links to the registrations that were started or opened in this browser. */
export function SavedRegistrations() {
  const id = useId();
  const saved = useSavedRegistrations();
  if (saved.length === 0) return null;
  return (
    <section className={styles.saved} aria-labelledby={id}>
      <h2 id={id}>Your registrations on this device</h2>
      <ul>
        {saved.map((registration) => (
          <li key={registration.id}>
            <Link to={hrefs.registration(registration.id)}>{registration.name}</Link>
            {registration.ended && <span className={text.secondary}> ended</span>}
            <button
              type="button"
              className={button.link}
              onClick={() => forgetRegistration(registration.id)}
            >
              Forget<span className="visually-hidden"> {registration.name}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className={text.secondary}>
        Stored in this browser only. Forgetting one doesn’t cancel the registration.
      </p>
    </section>
  );
}
