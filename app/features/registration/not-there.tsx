import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { Page } from '#app/ui/page.tsx';
import { OwnRegistrations } from './saved-registrations-list.tsx';

const AWAY = (
  <>
    The database is away for a moment. Nothing is lost;{' '}
    <span className="needs-scripts">this page looks again by itself.</span>
    <span className="without-scripts">reload this page.</span>
  </>
);

/** An address that is none, or the database is away and this server does not know it. */
export function NotThere({ away, live }: { away: boolean; live: ReactNode }) {
  return (
    <Page
      className="wizard"
      title={away ? 'This registration cannot be shown now' : 'No registration has this address'}
      intro={
        away
          ? AWAY
          : 'The address of a registration is long, and every character counts: take it from where you kept it, whole.'
      }
      live={live}
    >
      <OwnRegistrations />
      {!away && (
        <p className="secondary not-there">
          A lost link cannot be found again by its name: whoever has it could act for you. If you
          have paid, your payment can still be found by its note; ask whoever runs this registry.
        </p>
      )}
      <ul className="chips">
        <li>
          <Link className="button primary" to="/register">
            Register a name
          </Link>
        </li>
        <li>
          <Link className="button" to="/registry">
            See the registry
          </Link>
        </li>
      </ul>
    </Page>
  );
}
