import type { MetaFunction } from '@remix-run/node';
import { pageTitle } from '#app/lib/network.tsx';

export { loadHistory as loader } from '#app/features/review/history/history.server.ts';
export { HistoryPage as default } from '#app/features/review/history/history-page.tsx';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: pageTitle('History') }];
