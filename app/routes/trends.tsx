import type { MetaFunction, ShouldRevalidateFunction } from '@remix-run/react';
import { TrendsPage } from '#app/features/trends/trends-page.tsx';
import { loadTrends } from '#app/features/trends/trends-page.server.ts';
import { parseTrendsQuery } from '#app/features/trends/trends-query.ts';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

/** GET /trends: how the network grew, by the day. */
export const loader = loadTrends;

/** Another day, or the table, needs no other data. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ currentUrl, nextUrl }) =>
  parseTrendsQuery(currentUrl.searchParams).days !== parseTrendsQuery(nextUrl.searchParams).days;

export const meta: MetaFunction = () =>
  pageMeta(
    'Trends',
    'How the network grew: nodes, states, regions, compute offers and names, by the day.',
  );

export default TrendsPage;
