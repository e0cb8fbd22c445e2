import { Form, NavLink, useRouteLoaderData } from '@remix-run/react';
import type { loader } from '#app/routes/review.tsx';
import type { ReactNode } from 'react';
import { PageMoment } from '#app/lib/clock.ts';
import type { StaleReason } from '#app/lib/stale-while-offline.ts';
import { count } from '#app/lib/formatters.ts';
import { Page, type PageProps } from '#app/ui/page.tsx';
import { useUndecidedInTitle } from './pending-count.tsx';
import { useStaleRetry } from '#app/lib/page-refresh.ts';

const PLACES = [
  { to: '/review', name: 'Queue' },
  { to: '/review/registrations', name: 'Registrations' },
  { to: '/review/payments', name: 'Payments' },
  { to: '/review/history', name: 'History' },
  { to: '/review/names', name: 'Reserved names' },
  { to: '/review/nodes', name: 'Blocked nodes' },
  { to: '/review/reviewers', name: 'Reviewers', administrators: true },
];

const KEPT: Record<StaleReason, ReactNode> = {
  offline: 'The service does not answer. This page shows what it had, and asks again by itself.',
  'signed-out': (
    <>
      Your session has ended. This page stays as it was;{' '}
      <a href="/review/sign-in" target="_blank" rel="noopener">
        sign in again
      </a>{' '}
      in a new tab to go on.
    </>
  ),
};

interface ReviewPageProps extends PageProps {
  /** The moment that the page shows, for the ages on it. */
  updatedAt?: string;
}

/** The frame of every page below /review: where else to go, who is signed in, and the way out. */
export function ReviewPage({ updatedAt, className = '', children, ...page }: ReviewPageProps) {
  const kept = useStaleRetry();
  const undecided = useUndecidedInTitle();
  const reviewer = useRouteLoaderData<typeof loader>('routes/review')?.reviewer;
  return (
    <PageMoment.Provider value={updatedAt === undefined ? 0 : Date.parse(updatedAt)}>
      <Page {...page} className={`review ${className}`}>
        {reviewer && (
          <div className="review-bar">
            <nav aria-label="Review">
              <ul>
                {PLACES.filter(
                  ({ administrators }) => !administrators || reviewer.role === 'administrator',
                ).map(({ to, name }) => (
                  <li key={to}>
                    <NavLink to={to} end={to === '/review'}>
                      {name}
                      {to === '/review' && undecided > 0 && (
                        <>
                          {' '}
                          <span className="nav-count">{count(undecided)}</span>
                        </>
                      )}
                    </NavLink>
                  </li>
                ))}
              </ul>
            </nav>
            <div className="review-who">
              <NavLink to="/review/account">{reviewer.name}</NavLink>
              <Form method="post" action="/review/sign-out">
                <button className="link">Sign out</button>
              </Form>
            </div>
          </div>
        )}
        {kept && (
          <p className="secondary stays" role="status">
            {KEPT[kept]}
          </p>
        )}
        {children}
      </Page>
    </PageMoment.Provider>
  );
}
