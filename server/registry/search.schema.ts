import { listHref, pageIn } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';

/** The state of the names page in its URL. Without zod, because the browser uses it too. */

/** `both`: names with both kinds; `node` and `compute`: names with at least that one. */
export const KIND_FILTERS = ['node', 'compute', 'both'] as const;
export type KindFilter = (typeof KIND_FILTERS)[number];

/** The current state: the node is online, the compute offer has free capacity. */
export const NOW_FILTERS = ['online', 'available'] as const;
export type NowFilter = (typeof NOW_FILTERS)[number];

export const SORTS = ['name', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

export interface RegistrySearch {
  /** Part of a name, label or node id, in either case; empty: all. At most 64 characters. */
  q: string;
  kind: KindFilter | null;
  now: NowFilter | null;
  sort: Sort;
  /** From 1; beyond the list, the last page is shown. */
  page: number;
}

/** Longest search text, characters: no label or id is longer. */
export const QUERY_MAX = 64;

const oneOf = <T extends string>(values: readonly T[], given: string | null): T | null =>
  values.find((value) => value === given) ?? null;

/** Reads the state from a URL. Unknown values count as absent, because people edit URLs. */
export function readSearch(query: URLSearchParams): RegistrySearch {
  return {
    q: searchText(query.get('q'), QUERY_MAX),
    kind: oneOf(KIND_FILTERS, query.get('kind')),
    now: oneOf(NOW_FILTERS, query.get('now')),
    sort: oneOf(SORTS, query.get('sort')) ?? 'name',
    page: pageIn(query),
  };
}

/** Whether a search leaves out names. */
export const isFiltered = ({ q, kind, now }: RegistrySearch): boolean =>
  q !== '' || kind !== null || now !== null;

/** The URL of a search; defaults are left out. */
export const searchHref = ({ q, kind, now, sort, page }: RegistrySearch): string =>
  listHref('/registry', { q, kind, now, sort: sort === 'name' ? null : sort, page });
