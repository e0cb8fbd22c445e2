import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusable } from '#app/lib/refusable.server.ts';
import { isFiltered, readSearch, searchHref } from '#server/registry/search.schema.ts';

/** GET /registry: the active names that the URL's search and filters match, a page of them. */
export const loadRegistry = refusable(async ({ request, context }: LoaderFunctionArgs) => {
  const { services, limits, client, origin } = context;
  const search = readSearch(new URL(request.url).searchParams);
  // The uptime of its nodes may come from the database. All visitors share the first page.
  if (!isFiltered(search) && searchHref(search) !== '/registry') limits.countLookup(client());
  const uptimesOfAll =
    search.sort === 'uptime'
      ? await services.uptime.monthShares(services.registry.nodesByUptime())
      : undefined;
  const { entries, ...found } = services.registry.search(
    search,
    (names) => limits.countScan(client(), 'names', names),
    uptimesOfAll,
  );
  const ids = entries.map(({ nodeId }) => nodeId);
  const [uptimes, strips] = await Promise.all([
    services.uptime.monthShares(ids),
    services.uptime.monthStrips(ids),
  ]);
  const rows = entries.map((entry) => ({
    ...entry,
    uptime: uptimes.get(entry.nodeId) ?? null,
    days: strips.get(entry.nodeId) ?? null,
  }));
  return { ...found, rows, search, origin: origin() };
});
