import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusable } from '#app/lib/refusable.server.ts';
import type { RegistryPage } from '#server/registry/index.ts';
import type { DayStrip } from '#server/uptime/index.ts';
import type { NameRow } from './name-table.tsx';
import { isFiltered, readSearch, searchHref } from '#server/registry/search.schema.ts';

type Entry = RegistryPage['entries'][number];

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
  const { entries, newThisWeek, ...found } = services.registry.search(
    search,
    (names) => limits.countScan(client(), 'names', names),
    uptimesOfAll,
  );
  const ids = entries.map(({ nodeId }) => nodeId);
  const [uptimes, strips] = await Promise.all([
    services.uptime.monthShares(ids),
    services.uptime.monthStrips(ids),
  ]);
  const rows = entries.map((entry) =>
    shownOf(entry, uptimes.get(entry.nodeId) ?? null, strips.get(entry.nodeId) ?? null),
  );
  const newest = newThisWeek.map(({ name, activatedAt }) => ({ name, activatedAt }));
  return { ...found, newThisWeek: newest, rows, search, origin: origin() };
});

/** What the list shows of a name, and no more: the page has each row twice, as a table and as data. */
function shownOf(entry: Entry, uptime: number | null, days: DayStrip | null): NameRow {
  const { name, kinds, region, activatedAt, nodeStatus, registered, compute } = entry;
  return {
    name,
    kinds,
    region,
    class: entry.class,
    activatedAt,
    node: entry.nodeLabel ?? entry.nodeId,
    nodeStatus,
    registered,
    offer: compute && {
      status: compute.status,
      freeSlots: compute.freeSlots,
      ...(compute.status === 'offline' && { lastSeen: compute.lastSeen }),
    },
    uptime,
    offline: days && days.offline.map((seconds) => seconds && roughly(seconds)),
  };
}

/** Two digits of a number are more than a bar of 14 px shows, and strips of the same few numbers are sent in half the bytes. */
const roughly = (seconds: number) => Number(seconds.toPrecision(2));
