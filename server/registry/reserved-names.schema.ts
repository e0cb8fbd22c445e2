import { searchText } from '#server/common/search-text.schema.ts';

/** What the page of reserved names may be asked for. Free of zod, because the browser reads it too. */

export const NAMES_ON_PAGE = 100;
export const NAMES_QUERY_MAX = 64;

export interface ReservedNamesQuery {
  /** Part of a name or of a reason; empty: all. */
  q: string;
  /** From 1. */
  page: number;
}

/** A value that is none of ours counts as not given: this is a page's address. */
export function readReservedNamesQuery(query: URLSearchParams): ReservedNamesQuery {
  const page = query.get('page') ?? '';
  return {
    q: searchText(query.get('q'), NAMES_QUERY_MAX),
    page: /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

export function reservedNamesHref({ q, page }: ReservedNamesQuery): string {
  const query = new URLSearchParams({ ...(q && { q }), ...(page > 1 && { page: String(page) }) });
  return query.size === 0 ? '/review/names' : `/review/names?${query.toString()}`;
}
