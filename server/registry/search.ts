import type { ComputeRow, PeerRow, RegistrationRow } from '#db/schema.ts';
import type { RegistryEntry, RegistryStats } from './registry.schema.ts';
import type { KindFilter, NowFilter, RegistrySearch } from './search.schema.ts';
import { computeStatus } from '#server/computes/index.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { liveParts, presentEntry } from './entry.ts';
import type { RegistryView } from './view.ts';

/** Names on a page. */
const LIMIT = 100;

export interface RegistryPage {
  updatedAt: string;
  /** Of the whole registry. */
  stats: RegistryStats;
  /** How many names each filter would leave, with the others as they are. */
  counts: { kind: Record<KindFilter | 'any', number>; now: Record<NowFilter | 'any', number> };
  page: { number: number; pages: number; limit: number; total: number };
  entries: RegistryEntry[];
}

/**
 * One page of the active names that a search finds, all of it as of `now` (ms). Looks at every active
 * name: 3 to 12 ms for 10,000, measured on two busy cores.
 */
export function searchRegistry(
  s: ServiceContext,
  view: RegistryView,
  { q, kind, now: there, sort, page: asked }: RegistrySearch,
  now: number,
): RegistryPage {
  const text = q.toLowerCase();
  const counts: RegistryPage['counts'] = {
    kind: { any: 0, node: 0, compute: 0, both: 0 },
    now: { any: 0, online: 0, available: 0 },
  };
  const found = view.rows().filter((row) => {
    if (!matches(row, text)) return false;
    const kinds = kindsOf(row);
    const states = statesOf(liveParts(s, row), now, s.config.computeFreshMs);
    if (there === null || states.includes(there)) {
      counts.kind.any++;
      for (const each of kinds) counts.kind[each]++;
    }
    if (kind !== null && !kinds.includes(kind)) return false;
    counts.now.any++;
    for (const each of states) counts.now[each]++;
    return there === null || states.includes(there);
  });
  if (sort === 'newest') found.sort((a, b) => since(b) - since(a));

  const pages = Math.max(1, Math.ceil(found.length / LIMIT));
  const number = Math.min(asked, pages);
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    stats: view.stats(now),
    counts,
    page: { number, pages, limit: LIMIT, total: found.length },
    entries: found
      .slice((number - 1) * LIMIT, number * LIMIT)
      .map((row) => presentEntry(s, row, now)),
  };
}

const since = (row: RegistrationRow): number => (row.activatedAt ?? row.updatedAt).getTime();

/** `text` in lower case. */
const matches = ({ name, label, nodeId }: RegistrationRow, text: string): boolean =>
  text === '' ||
  name.includes(text) ||
  label.toLowerCase().includes(text) ||
  nodeId.toLowerCase().includes(text);

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
