import type { HeadersFunction, MetaFunction } from '@remix-run/node';
import {
  changeNotifications,
  loadNotifications,
} from '#app/features/registration/notifications-page.server.ts';
import { NotificationsPage } from '#app/features/registration/notifications-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';

export const loader = loadNotifications;

export const action = changeNotifications;

/** Also after a form that was refused: the address may have been removed elsewhere. */
export const shouldRevalidate = () => true;

export const headers: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) headers.set(name, value);
  return headers;
};

export const meta: MetaFunction<typeof loader> = () => [
  ...pageMeta(
    'Notifications',
    'Where the holder of a registration is notified, for anyone who has its link.',
  ),
  { name: 'robots', content: 'noindex, nofollow' },
];

export default NotificationsPage;
