import type { MetaFunction } from '@remix-run/node';
import { titleWithCount } from '#app/features/review/pending-count.tsx';
import { decideInQueue, loadQueue } from '#app/features/review/queue/queue-page.server.ts';
import { QueuePage } from '#app/features/review/queue/queue-page.tsx';

export const loader = loadQueue;
export const action = decideInQueue;
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: titleWithCount(data?.total ?? 0, 'Review queue · Mesh Registry') },
];

export default QueuePage;
