import { NavLink, useRouteLoaderData } from '@remix-run/react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { FormAlert, type FormProblem } from '#app/ui/form.tsx';
import styles from './review-bar.module.css';
import type { loadDashboard } from './review.server.ts';

const TABS = [
  { to: hrefs.review.queue(), name: 'Queue' },
  { to: hrefs.review.registrations(), name: 'Registrations' },
  { to: hrefs.review.payments(), name: 'Payments' },
  { to: hrefs.review.nodes(), name: 'Nodes' },
  { to: hrefs.review.names(), name: 'Reserved names' },
  { to: hrefs.review.history(), name: 'History' },
  { to: hrefs.review.reviewers(), name: 'Reviewers', administrators: true },
];

/** The tabs of the dashboard, the reviewer's own account, and signing out. */
export function ReviewBar({ pending }: { pending: number }) {
  const reviewer = useRouteLoaderData<typeof loadDashboard>('routes/review')?.reviewer;
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
                <NavLink to={to} end={to === hrefs.review.queue()} className={`${styles.tab}`}>
                  {name}
                  {to === hrefs.review.queue() && pending > 0 && (
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
          <NavLink to={hrefs.review.account()} className={`${styles.tab}`}>
            {reviewer.name}
          </NavLink>
          <form method="post" action={hrefs.review.signOut()} onSubmit={onSubmit}>
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

/**
 * Signs out with scripts: a failure is shown on the page, which stays. What succeeds leaves the page, and with
 * it everything the session has shown. Without scripts the form goes to its own route.
 */
function useSignOut() {
  const [problem, setProblem] = useState<FormProblem>();
  const signOut = async () => {
    try {
      const { trpc } = await import('#app/lib/trpc.client.ts');
      await trpc.review.session.signOut.mutate();
      window.location.assign(hrefs.signIn());
    } catch (error) {
      const answered = error instanceof Error && 'data' in error && error.data;
      const why = answered ? error.message : 'The service didn’t answer: try again once it does.';
      setProblem({ error: `Couldn’t sign you out. ${why}`, fields: {} });
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void signOut();
  };
  return { problem, onSubmit };
}
