import { useMemo } from 'react';
import { useClock } from '#app/lib/clock.ts';
import {
  createMatcher,
  isFiltered,
  meshHref,
  parseMeshQuery,
  surveyPeers,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { MeshHead, Peer } from '#server/mesh/mesh.schema.ts';
import type { MeshList } from '#server/mesh/index.ts';

/** Rows on a page of the list. */
export const LIST_LIMIT = 100;
/** Newest nodes in the panel. */
const NEWEST = 5;

/** The list as the server rendered it, and from the live rows once they are loaded. */
export function useMeshList(
  { head, rows }: { head: MeshHead; rows: readonly Peer[] | null },
  query: MeshQuery,
  loaded: MeshList,
): MeshList {
  const clock = useClock();
  return useMemo(() => {
    if (!rows) return { ...loaded, head };
    const { matched, facets } = surveyPeers(rows, query, clock.now(), (peer) => peer);
    const pages = Math.max(1, Math.ceil(matched.length / LIST_LIMIT));
    const number = Math.min(query.page, pages);
    return {
      head,
      facets,
      page: { number, total: matched.length, limit: LIST_LIMIT },
      peers: matched.slice((number - 1) * LIST_LIMIT, number * LIST_LIMIT),
      newest: rows.slice(-NEWEST).reverse(),
    };
  }, [clock, head, rows, query, loaded]);
}

const matchAll = () => true;

/** Which nodes the map shows. The function stays the same until the filter changes. */
export function useMatcher(query: MeshQuery): (peer: Peer) => boolean {
  const clock = useClock();
  const filterHref = meshHref({ ...query, view: 'map', node: null, at: null, page: 1 });
  return useMemo(() => {
    const filter = parseMeshQuery(new URLSearchParams(filterHref.split('?')[1]));
    return isFiltered(filter) ? createMatcher(filter, clock.now()) : matchAll;
  }, [clock, filterHref]);
}
