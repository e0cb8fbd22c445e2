import {
  PEER_STATUSES,
  recordFrom,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { presentEntry, registeredFacts, shownFacts, shownPeer } from './entry.ts';
import { facetsOf, freeSlotsOf } from './facets.ts';
import { isFiltered, type KindFilter, type RegistrySearch, type Sort } from './search.schema.ts';
import type { RegistryView } from './view.ts';

/** Names per page. */
const LIMIT = 50;
/** How many of the newest names are shown above the list, and how old they are at most, milliseconds. */
const NEWEST = 6;
const NEW_MS = 7 * 86_400_000;
/** Up to this many names the list can be sorted by uptime, which is read for each of them. */
export const UPTIME_SORT_MAX = 5000;

/** The uptime of nodes over 30 days, from 0 to 1, by their ids. */
export type Uptimes = ReadonlyMap<string, number | null>;

export type RegistryPage = ReturnType<typeof searchRegistry>;

/**
 * One page of the active names that match a search, as of `now` (ms). Visits every active name if there is a filter, or
 * another order than by name or by age.
 * @param uptimes for the order by uptime
 */
export function searchRegistry(
  context: ServiceContext,
  view: RegistryView,
  search: RegistrySearch,
  now: number,
  uptimes: Uptimes = new Map(),
) {
  const stats = view.stats(now);
  const inOrder = sorted(context, view, search, now, uptimes);
  const { found, counts } = isFiltered(search)
    ? filter(context, inOrder, search, now)
    : { found: inOrder, counts: countsOf(view, now) };
  const pages = Math.max(1, Math.ceil(found.length / LIMIT));
  const number = Math.min(search.page, pages);
  const present = (row: RegistrationRow) => presentRow(context, row, now);
  const fresh = view.newest().slice(0, NEWEST);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    /** Over the whole registry. */
    stats,
    counts,
    page: { number, pages, limit: LIMIT, total: found.length },
    entries: found.slice((number - 1) * LIMIT, number * LIMIT).map(present),
    /** The names activated last within seven days, whatever the search, newest first. */
    newThisWeek: fresh.filter((row) => now - activatedAt(row) < NEW_MS).map(present),
    /** Whether the order by uptime is offered. */
    sortsByUptime: stats.active <= UPTIME_SORT_MAX,
  };
}

/** A name with what a list shows of its node, whatever it is registered for. */
function presentRow(context: ServiceContext, row: RegistrationRow, now: number) {
  const peer = shownPeer(context, row);
  return {
    ...presentEntry(context, row, now),
    /** The label of its node, and its status; null if it isn't on the map. */
    nodeLabel: peer ? (peer.label ?? peer.id) : null,
    nodeStatus: peer ? peerStatus(peer, now) : null,
    /** What was registered, where its node says something else by now. */
    registered: registeredFacts(context, row),
  };
}

const activatedAt = (row: RegistrationRow): number => (row.activatedAt ?? row.updatedAt).getTime();

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** All names in the order of a search. Names that have no value come last in both directions. */
function sorted(
  context: ServiceContext,
  view: RegistryView,
  { sort, descending }: RegistrySearch,
  now: number,
  uptimes: Uptimes,
): readonly RegistrationRow[] {
  if (sort === 'since' && descending) return view.newest();
  const rows = view.rows();
  if (sort === 'name') return descending ? rows.reverse() : rows;
  const value = VALUES[sort];
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: value({ context, row, now, uptimes }) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null)
        return Number(a.value === null) - Number(b.value === null);
      const order =
        typeof a.value === 'number' && typeof b.value === 'number'
          ? a.value - b.value
          : compare(String(a.value), String(b.value));
      return sign * order;
    })
    .map(({ row }) => row);
}

interface Sorted {
  context: ServiceContext;
  row: RegistrationRow;
  now: number;
  uptimes: Uptimes;
}
const CLASS_ORDER = { S: 0, M: 1, L: 2 };

/** What the orders compare. */
const VALUES: Record<Exclude<Sort, 'name'>, (sorted: Sorted) => string | number | null> = {
  node({ context, row }) {
    const peer = shownPeer(context, row);
    return (peer?.label ?? row.nodeId).toLowerCase();
  },
  region: ({ context, row }) => shownFacts(context, row).region,
  class: ({ context, row }) => CLASS_ORDER[shownFacts(context, row).class],
  status({ context, row, now }) {
    const peer = shownPeer(context, row);
    return peer ? PEER_STATUSES.indexOf(peerStatus(peer, now)) : null;
  },
  free: ({ context, row, now }) => freeSlotsOf(context, row, now),
  uptime: ({ row, uptimes }) => uptimes.get(row.nodeId) ?? null,
  since: ({ row }) => activatedAt(row),
};

/** How many names each choice of a filter shows while the others stay the same. */
export interface RegistryCounts {
  kind: Record<KindFilter | 'any', number>;
  status: Record<PeerStatus | 'any', number>;
  /** Whether the offer has free slots. */
  free: Record<'any' | 'free', number>;
  /** Regions that have names, the most frequent first. */
  regions: [region: string, names: number][];
}

/** The names that match, and how many each filter would show while the others stay the same. */
function filter(
  context: ServiceContext,
  rows: readonly RegistrationRow[],
  { q, ...search }: RegistrySearch,
  now: number,
): { found: RegistrationRow[]; counts: RegistryCounts } {
  const text = q.toLowerCase();
  const counts = {
    kind: { any: 0, node: 0, compute: 0, both: 0 },
    status: { any: 0, ...recordFrom(PEER_STATUSES, () => 0) },
    free: { any: 0, free: 0 },
  };
  const regions = new Map<string, number>();
  const found = rows.filter((row) => {
    if (!matches(context, row, text)) return false;
    const { kinds, status, isFree, region } = facetsOf(context, row, now);
    const fits = {
      kind: search.kind === null || kinds.includes(search.kind),
      status: search.status === null || search.status === status,
      free: !search.free || isFree,
      region: search.region === null || search.region === region,
    };
    const others = (facet: keyof typeof fits) =>
      Object.entries(fits).every(([name, fit]) => fit || name === facet);
    if (others('kind')) for (const kind of ['any', ...kinds] as const) counts.kind[kind]++;
    if (others('status')) {
      counts.status.any++;
      if (status !== null) counts.status[status]++;
    }
    if (others('free')) {
      counts.free.any++;
      counts.free.free += Number(isFree);
    }
    if (others('region')) regions.set(region, (regions.get(region) ?? 0) + 1);
    return Object.values(fits).every(Boolean);
  });
  return { found, counts: { ...counts, regions: byNames(regions) } };
}

/** The same counts of all names. */
function countsOf(view: RegistryView, now: number): RegistryCounts {
  const { active, nodes, computes } = view.stats(now);
  const { status, free, regions } = view.facets(now);
  return {
    kind: { any: active, node: nodes, compute: computes, both: nodes + computes - active },
    status: { any: active, ...status },
    free: { any: active, free },
    regions: byNames(regions),
  };
}

const byNames = (regions: ReadonlyMap<string, number>): [string, number][] =>
  [...regions].sort(([a, n], [b, m]) => m - n || compare(a, b));

/** @param text in lower case */
const matches = (context: ServiceContext, row: RegistrationRow, text: string): boolean =>
  text === '' ||
  row.name.includes(text) ||
  row.nodeId.toLowerCase().includes(text) ||
  shownFacts(context, row).label.toLowerCase().includes(text);
