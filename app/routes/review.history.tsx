import type { MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { HistoryPage } from '#app/features/review/history/history-page.tsx';
import { loadHistory } from '#app/features/review/history/history.server.ts';

export const loader = loadHistory;
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'History · Mesh Registry' }];

export default function History() {
  return <HistoryPage history={useLoaderData<typeof loader>()} />;
}
