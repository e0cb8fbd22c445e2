import type { MetaFunction } from '@remix-run/node';
import { titleWithCount } from '#app/features/review/pending-count.tsx';
import type { loadQueue } from '#app/features/review/queue/queue-page.server.ts';

export {
  decideInQueue as action,
  loadQueue as loader,
} from '#app/features/review/queue/queue-page.server.ts';
export { QueuePage as default } from '#app/features/review/queue/queue-page.tsx';
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

export const meta: MetaFunction<typeof loadQueue> = ({ data }) => [
  { title: titleWithCount(data?.total ?? 0, pageTitle('Review queue')) },
];
