import { searchText } from '#server/common/search-text.schema.ts';

/** How the page of names is asked: what its URL may say. Free of zod, because the browser reads it too. */

/** `both` has the two kinds; `node` and `compute` have at least that one. */
export const KIND_FILTERS = ['node', 'compute', 'both'] as const;
export type KindFilter = (typeof KIND_FILTERS)[number];

/** What is there at this moment: the node is online, the compute has free capacity. */
export const NOW_FILTERS = ['online', 'available'] as const;
export type NowFilter = (typeof NOW_FILTERS)[number];

export const SORTS = ['name', 'newest'] as const;
export type Sort = (typeof SORTS)[number];

export interface RegistrySearch {
  /** Part of a name, a label or a node's id, in any case of letters; empty: all. At most 64 characters. */
  q: string;
  kind: KindFilter | null;
  now: NowFilter | null;
  sort: Sort;
  /** From 1; beyond the list the last page is meant. */
  page: number;
}

/** No label or id is longer. */
export const QUERY_MAX = 64;

const oneOf = <T extends string>(values: readonly T[], asked: string | null): T | null =>
  values.find((value) => value === asked) ?? null;

/** A value that is none of ours counts as not given: this is a page's address, which people edit. */
export function readSearch(query: URLSearchParams): RegistrySearch {
  const page = query.get('page') ?? '';
  return {
    q: searchText(query.get('q'), QUERY_MAX),
    kind: oneOf(KIND_FILTERS, query.get('kind')),
    now: oneOf(NOW_FILTERS, query.get('now')),
    sort: oneOf(SORTS, query.get('sort')) ?? 'name',
    page: /^\d{1,9}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The address of a search; what is as usual is left out. */
export function searchHref({ q, kind, now, sort, page }: RegistrySearch): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(kind && { kind }),
    ...(now && { now }),
    ...(sort !== 'name' && { sort }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? '/registry' : `/registry?${query.toString()}`;
}
