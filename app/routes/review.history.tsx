import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readHistoryQuery } from '#server/audit/history.schema.ts';
import { HistoryPage } from '#app/features/review/history/history-page.tsx';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { history } = args.context.api.review;
  const query = readHistoryQuery(new URL(args.request.url).searchParams);
  const { before: _, after: __, ...filter } = query;
  const [page, actors] = await Promise.all([history.page(query), history.actors()]);
  return { ...page, actors, filter, updatedAt: new Date().toISOString() };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'History · Mesh Registry' }];

export default function History() {
  return <HistoryPage history={useLoaderData<typeof loader>()} />;
}
