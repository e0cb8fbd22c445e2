import type {
  ActionFunctionArgs,
  HeadersFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from '@remix-run/node';
import {
  changeNotifications,
  loadNotifications,
} from '#app/features/registration/notifications-page.server.ts';
import { NotificationsPage } from '#app/features/registration/notifications-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { SECRET_HEADERS } from '#app/lib/secret-headers.ts';

/** GET /register/:id/notifications: what the holder of a registration is told, and where. */
export const loader = (args: LoaderFunctionArgs) => loadNotifications(args);

export const action = (args: ActionFunctionArgs) => changeNotifications(args);

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
