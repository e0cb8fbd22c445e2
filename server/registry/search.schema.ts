import {
  KINDS,
  PEER_STATUSES,
  REGION_PATTERN,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import {
  listHref,
  orderAfterClick,
  orderIn,
  orderText,
  pageIn,
  type Order,
} from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';

/** The state of the names page in its URL. Without zod, because the browser uses it too. */

/** `both`: names with both kinds; `node` and `compute`: names with at least that one. */
export const KIND_FILTERS = [...KINDS, 'both'] as const;
export type KindFilter = (typeof KIND_FILTERS)[number];

/** What the list can be sorted by: `since` is when the name became active, `free` the free slots of its offer. */
export const SORTS = [
  'name',
  'node',
  'region',
  'class',
  'status',
  'free',
  'uptime',
  'since',
] as const;
export type Sort = (typeof SORTS)[number];
/** The most, the longest and the newest come first. */
const FROM_MOST: readonly Sort[] = ['free', 'uptime', 'since'];

export interface RegistrySearch extends Order<Sort> {
  /** Part of a name, label or node id, in either case; empty: all. At most 64 characters. */
  q: string;
  kind: KindFilter | null;
  /** Of the name's node, whatever the name is registered for. */
  status: PeerStatus | null;
  /** Only names whose compute offer has free slots. */
  free: boolean;
  region: string | null;
  /** From 1; beyond the list, the last page is shown. */
  page: number;
}

/** Longest search text, characters: no label or id is longer. */
export const QUERY_MAX = 64;

const oneOf = <T extends string>(values: readonly T[], given: string | null): T | null =>
  values.find((value) => value === given) ?? null;

/** Reads the state from a URL. Unknown values count as absent, because people edit URLs. */
export function readSearch(query: URLSearchParams): RegistrySearch {
  // Links of earlier releases have `now` and `sort=newest`.
  const now = query.get('now');
  const order = query.get('sort') === 'newest' ? '-since' : query.get('sort');
  const region = query.get('region') ?? '';
  return {
    q: searchText(query.get('q'), QUERY_MAX),
    kind: oneOf(KIND_FILTERS, query.get('kind')),
    status: oneOf(PEER_STATUSES, query.get('status') ?? (now === 'online' ? now : null)),
    free: query.get('free') === '1' || now === 'available',
    region: REGION_PATTERN.test(region) ? region : null,
    ...orderIn(order, SORTS, 'name'),
    page: pageIn(query),
  };
}

/** Whether a search leaves out names. */
export const isFiltered = ({ q, kind, status, free, region }: RegistrySearch): boolean =>
  q !== '' || kind !== null || status !== null || free || region !== null;

/** Sorts by a column, or reverses the order if it is sorted by it already. */
export const sortedBy = (search: RegistrySearch, sort: Sort): RegistrySearch => ({
  ...search,
  ...orderAfterClick(search, sort, FROM_MOST),
  page: 1,
});

/** The order as the URL has it; null: by name. */
export function sortParameter(search: RegistrySearch): string | null {
  const order = orderText(search);
  return order === 'name' ? null : order;
}

/** The URL of a search; defaults are left out. */
export const searchHref = (search: RegistrySearch): string => {
  const { q, kind, status, free, region, page } = search;
  const sort = sortParameter(search);
  return listHref('/registry', { q, kind, status, free: free ? 1 : null, region, sort, page });
};
