import type { RegistryStats } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { ComputeRow, PeerRow, RegistrationRow } from '#db/schema/index.ts';
import { computeStatus } from '#server/computes/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { liveParts, presentEntry, shownFacts } from './entry.ts';
import {
  isFiltered,
  type KindFilter,
  type NowFilter,
  type RegistrySearch,
} from './search.schema.ts';
import type { RegistryView } from './view.ts';

/** Names per page. */
const LIMIT = 100;
/** How many of the newest names are shown above the list. */
const NEWEST = 6;

export type RegistryPage = ReturnType<typeof searchRegistry>;

/** One page of the active names that match a search, as of `now` (ms). Visits every active name if there is a filter. */
export function searchRegistry(
  context: ServiceContext,
  view: RegistryView,
  search: RegistrySearch,
  now: number,
) {
  const { sort, page } = search;
  const stats = view.stats(now);
  const rows = sort === 'newest' ? view.newest() : view.rows();
  const { found, counts } = isFiltered(search)
    ? filter(context, rows, search, now)
    : { found: rows, counts: countsOf(stats) };
  const pages = Math.max(1, Math.ceil(found.length / LIMIT));
  const number = Math.min(page, pages);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    /** Over the whole registry. */
    stats,
    counts,
    page: { number, pages, limit: LIMIT, total: found.length },
    entries: found
      .slice((number - 1) * LIMIT, number * LIMIT)
      .map((row) => presentEntry(context, row, now)),
    /** The names activated last, whatever the search, newest first. */
    newest: view
      .newest()
      .slice(0, NEWEST)
      .map((row) => presentEntry(context, row, now)),
  };
}

/** The names that match, and how many each filter would show while the others stay the same. */
function filter(
  context: ServiceContext,
  rows: readonly RegistrationRow[],
  { q, kind, now: state }: RegistrySearch,
  now: number,
) {
  const text = q.toLowerCase();
  const counts = {
    kind: { any: 0, node: 0, compute: 0, both: 0 },
    now: { any: 0, online: 0, available: 0 },
  };
  const found = rows.filter((row) => {
    if (!matches(context, row, text)) return false;
    const kinds = kindsOf(row);
    const states = statesOf(liveParts(context, row), now, context.config.computeFreshMs);
    if (state === null || states.includes(state)) {
      counts.kind.any++;
      for (const each of kinds) counts.kind[each]++;
    }
    if (kind !== null && !kinds.includes(kind)) return false;
    counts.now.any++;
    for (const each of states) counts.now[each]++;
    return state === null || states.includes(state);
  });
  return { found, counts };
}

/** The same counts of all names. */
const countsOf = ({
  active,
  nodes,
  computes,
  nodesOnline,
  computesAvailable,
}: RegistryStats): ReturnType<typeof filter>['counts'] => ({
  kind: { any: active, node: nodes, compute: computes, both: nodes + computes - active },
  now: { any: active, online: nodesOnline, available: computesAvailable },
});

/** @param text in lower case */
const matches = (context: ServiceContext, row: RegistrationRow, text: string): boolean =>
  text === '' ||
  row.name.includes(text) ||
  row.nodeId.toLowerCase().includes(text) ||
  shownFacts(context, row).label.toLowerCase().includes(text);

const kindsOf = ({ kinds }: RegistrationRow): KindFilter[] =>
  kinds.length > 1 ? [...kinds, 'both'] : kinds;

function statesOf(
  { peer, compute }: { peer: PeerRow | undefined; compute: ComputeRow | undefined },
  now: number,
  freshMs: number,
): NowFilter[] {
  const states: NowFilter[] = [];
  if (peer && peerStatus(peer, now) === 'online') states.push('online');
  if (compute && computeStatus(compute, now, freshMs) === 'available') states.push('available');
  return states;
}
