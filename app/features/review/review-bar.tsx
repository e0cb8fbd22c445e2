import { NavLink, useRouteLoaderData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import type { loader } from '#app/routes/review.tsx';
import { count } from '#app/lib/formatters.ts';
import { FormAlert } from '#app/ui/form.tsx';
import button from '#app/ui/button.module.css';
import styles from './review-bar.module.css';
import { useSignOut } from './use-sign-out.ts';

const TABS = [
  { to: '/review', name: 'Queue' },
  { to: '/review/registrations', name: 'Registrations' },
  { to: '/review/payments', name: 'Payments' },
  { to: '/review/history', name: 'History' },
  { to: '/review/names', name: 'Reserved names' },
  { to: '/review/nodes', name: 'Nodes' },
  { to: '/review/reviewers', name: 'Reviewers', administrators: true },
];

/** The tabs of the dashboard, the reviewer's own account, and signing out. */
export function ReviewBar({ pending }: { pending: number }) {
  const reviewer = useRouteLoaderData<typeof loader>('routes/review')?.reviewer;
  const { problem, onSubmit } = useSignOut();
  const tabs = useRef<HTMLUListElement>(null);
  useEffect(() => showCurrentTab(tabs.current), []);
  if (!reviewer) return null;
  return (
    <div className={styles.above}>
      <div className={styles.bar}>
        <nav aria-label="Review" className={styles.nav}>
          <ul className={styles.tabs} ref={tabs}>
            {TABS.filter(
              ({ administrators }) => !administrators || reviewer.role === 'administrator',
            ).map(({ to, name }) => (
              <li key={to}>
                <NavLink to={to} end={to === '/review'} className={`${styles.tab}`}>
                  {name}
                  {to === '/review' && pending > 0 && (
                    <>
                      {' '}
                      <span className={styles.count}>
                        {count(pending)}
                        <span className="visually-hidden"> waiting</span>
                      </span>
                    </>
                  )}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <div className={styles.account}>
          <NavLink to="/review/account" className={`${styles.tab}`}>
            {reviewer.name}
          </NavLink>
          <form method="post" action="/review/sign-out" onSubmit={onSubmit}>
            <button className={`${button.link} ${styles.signOut}`}>Sign out</button>
          </form>
        </div>
      </div>
      <FormAlert problem={problem} />
    </div>
  );
}

/** On a narrow screen the tabs scroll sideways: the current one may be out of sight. */
function showCurrentTab(tabs: HTMLElement | null): void {
  const current = tabs?.querySelector<HTMLElement>('[aria-current]');
  if (tabs && current)
    tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
}
