import type { MetaFunction } from '@remix-run/node';
import { pageMeta } from '#app/lib/page-meta.ts';
import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

export {
  changeNotifications as action,
  loadNotifications as loader,
} from '#app/features/registration/notifications-page.server.ts';
export { NotificationsPage as default } from '#app/features/registration/notifications-page.tsx';
export { secretHeaders as headers } from '#app/lib/secret-headers.ts';

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const clientAction = offlineActionWith('It is safe to send it again.');

/** Also after a form that was refused: the address may have been removed elsewhere. */
export const shouldRevalidate = () => true;

export const meta: MetaFunction = () => [
  ...pageMeta(
    'Notifications',
    'Where the holder of a registration is notified, for anyone who has its link.',
  ),
  { name: 'robots', content: 'noindex, nofollow' },
];
