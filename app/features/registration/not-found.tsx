import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Page } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import styles from './not-found.module.css';
import { SavedRegistrations } from './saved-registrations-list.tsx';
import wizard from './wizard.module.css';

const UNAVAILABLE = (
  <>
    The database is unavailable right now. Nothing is lost;{' '}
    <span className="needs-scripts">this page keeps retrying.</span>
    <span className="without-scripts">reload this page in a moment.</span>
  </>
);

/** The link of no registration, or the database is down and this server doesn't know it. */
export function RegistrationNotFound({
  unavailable,
  live,
}: {
  unavailable: boolean;
  live: ReactNode;
}) {
  return (
    <Page
      className={wizard.page}
      title={unavailable ? 'This registration can’t be shown right now' : 'Registration not found'}
      intro={
        unavailable
          ? UNAVAILABLE
          : 'The link of a registration is long, and every character counts. Copy it whole from where you kept it.'
      }
      live={live}
    >
      <SavedRegistrations />
      {!unavailable && (
        <p className={`${text.secondary} ${styles.explanation}`}>
          A lost link can’t be looked up by its name, since anyone who has it can act for you. If
          you have paid, your payment can still be found by its note: ask the operator of this
          registry.
        </p>
      )}
      <ul className={chips.chips}>
        <li>
          <Link className={button.primary} to="/register">
            Register a name
          </Link>
        </li>
        <li>
          <Link className={button.button} to="/registry">
            View the registry
          </Link>
        </li>
      </ul>
    </Page>
  );
}
