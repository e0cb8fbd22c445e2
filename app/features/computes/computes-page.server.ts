import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusable } from '#app/lib/refusable.server.ts';
import type { Page } from '#app/ui/pagination.tsx';
import { parseQuery, queryString } from './directory-query.ts';
import { nodesOf } from './nodes-of.server.ts';
import { showInSlices } from './show-in-slices.server.ts';

/** Rows on a page of the list without scripts, and what a slow phone shows at first: as many as it scrolls through meanwhile. */
const PAGE_ROWS = 25;

/** The data of the page: totals, the first rows that match the query, and where the event stream continues. */
export const loadComputes = refusable(async ({ request, context }: LoaderFunctionArgs) => {
  const { services, limits, client, origin } = context;
  const query = parseQuery(new URL(request.url).searchParams);
  const nodeOf = await services.nodes.ofOffers();
  const shown = queryString({ ...query, page: 1, compare: [] });
  const { cursor, head, made } = services.computes.shown(shown, () => {
    // The whole list is shared by all who look at it.
    if (shown !== '') limits.countScan(client(), 'offers', services.computes.size());
    // The position comes before the list, so that the stream, which continues from it, misses no change.
    const cursor = services.computes.cursor();
    const list = services.computes.list();
    return { cursor, head: list.head, made: showInSlices(list, query, nodeOf) };
  });
  const { rows, ...rest } = await made;
  const page = pageOf(query.page, rows.length);
  const first = (page.number - 1) * page.limit;
  const shownRows = rows.slice(first, first + page.limit);
  return {
    cursor,
    head,
    ...rest,
    page,
    /** Region and uptime of the nodes of `rows`; the open page asks for those of all. */
    nodes: nodesOf(shownRows, nodeOf),
    /** Index in the list of the page's first row, from 0. */
    first,
    rows: shownRows,
    origin: origin(),
    /** Whether announcing needs the credential. */
    secret: services.config.webhookSecrets.length > 0,
    /** Whether an offer is listed only once its name is active. */
    needsName: services.config.computeListing === 'activated',
  };
});

/** The requested page, or the last one if the list is shorter. */
function pageOf(requested: number, total: number): Page {
  const last = Math.max(1, Math.ceil(total / PAGE_ROWS));
  return { number: Math.min(requested, last), limit: PAGE_ROWS, total };
}
