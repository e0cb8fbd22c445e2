import type { MetaFunction } from '@remix-run/node';
import { HistoryPage } from '#app/features/review/history/history-page.tsx';
import { loadHistory } from '#app/features/review/history/history.server.ts';

export const loader = loadHistory;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'History · Mesh Registry' }];

export default HistoryPage;
