import { Form, NavLink, useRouteLoaderData } from '@remix-run/react';
import type { loader } from '../../routes/review.tsx';
import { PageMoment } from '../../clock.ts';
import { Page, type PageProps } from '../page.tsx';

const PLACES = [
  { to: '/review', name: 'Queue' },
  { to: '/review/registrations', name: 'Registrations' },
  { to: '/review/payments', name: 'Payments' },
  { to: '/review/history', name: 'History' },
  { to: '/review/names', name: 'Reserved names' },
  { to: '/review/nodes', name: 'Blocked nodes' },
  { to: '/review/reviewers', name: 'Reviewers', administrators: true },
];

interface ReviewPageProps extends PageProps {
  /** The moment that the page shows, for the ages on it. */
  updatedAt?: string;
}

/** The frame of every page below /review: where else to go, who is signed in, and the way out. */
export function ReviewPage({ updatedAt, className = '', children, ...page }: ReviewPageProps) {
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
        {children}
      </Page>
    </PageMoment.Provider>
  );
}
