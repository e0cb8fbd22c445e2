import { listHref, pageIn } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';

/** The state of the reserved names page in its URL. Without zod, because the browser uses it too. */

export const NAMES_ON_PAGE = 100;
export const NAMES_QUERY_MAX = 64;

export interface ReservedNamesQuery {
  /** Part of a name or of a reason; empty: all. */
  q: string;
  /** From 1. */
  page: number;
}

/** Reads the state from a URL. Unknown values count as absent, because people edit URLs. */
export function readReservedNamesQuery(query: URLSearchParams): ReservedNamesQuery {
  return {
    q: searchText(query.get('q'), NAMES_QUERY_MAX),
    page: pageIn(query),
  };
}

/** The URL of a list of reserved names; defaults are left out. */
export const reservedNamesHref = ({ q, page }: ReservedNamesQuery): string =>
  listHref('/review/names', { q, page });
