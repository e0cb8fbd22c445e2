import { Link } from '@remix-run/react';
import { UNCLAIMED_KEPT_DAYS } from '@mesh-registry/protocol/values.schema.ts';
import type { ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Page } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import flow from './flow.module.css';
import styles from './not-found.module.css';
import { SavedRegistrations } from './saved-registrations-list.tsx';

const UNAVAILABLE = (
  <>
    The database is unavailable right now. Nothing is lost;{' '}
    <span className="needs-scripts">this page keeps retrying.</span>
    <span className="without-scripts">reload this page in a moment.</span>
  </>
);

/** For a link without a registration, or with one that this server doesn't know while the database is down. */
export function RegistrationNotFound({
  unavailable,
  live,
}: {
  unavailable: boolean;
  live: ReactNode;
}) {
  return (
    <Page
      className={flow.page}
      title={unavailable ? 'This registration can’t be shown right now' : 'Registration not found'}
      intro={
        unavailable
          ? UNAVAILABLE
          : `The link may be incomplete: copy all of it from where you saved it. A registration that was never reported as paid is removed ${UNCLAIMED_KEPT_DAYS} days after it ended.`
      }
      live={live}
    >
      <SavedRegistrations />
      {!unavailable && (
        <p className={`${text.secondary} ${styles.explanation}`}>
          We can’t look up a lost link by its name, because anyone who has the link can act for you.
          If you have paid, a reviewer can still find your payment by its note: contact the operator
          of this network.
        </p>
      )}
      <ul className={chips.chips}>
        <li>
          <Link className={button.primary} to={hrefs.register()}>
            Register a name
          </Link>
        </li>
        <li>
          <Link className={button.button} to={hrefs.registry()}>
            View the registry
          </Link>
        </li>
      </ul>
    </Page>
  );
}
