import { searchText } from '#server/common/search-text.schema.ts';
import {
  REGISTRATION_STATUSES,
  type RegistrationStatus,
} from '#server/registration/values.schema.ts';

/** How the page of all registrations is asked: what its URL may say. Free of zod, because the browser reads it too. */

export interface ReviewSearch {
  /** Part of a name, label, note, node's id or confirmation text, in any case of letters; empty: all. */
  q: string;
  status: RegistrationStatus | null;
  /** From 1; beyond the list the last page is meant. */
  page: number;
}

/** As long as the longest text that is searched. */
export const REVIEW_QUERY_MAX = 128;

/** A value that is none of ours counts as not given: this is a page's address, which people edit. */
export function readReviewSearch(query: URLSearchParams): ReviewSearch {
  const page = query.get('page') ?? '';
  return {
    q: searchText(query.get('q'), REVIEW_QUERY_MAX),
    status: REGISTRATION_STATUSES.find((status) => status === query.get('status')) ?? null,
    page: /^\d{1,9}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The address of a search; what is as usual is left out. */
export function reviewSearchHref({ q, status, page }: ReviewSearch): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(status && { status }),
    ...(page > 1 && { page: String(page) }),
  });
  return `/review/registrations${query.size === 0 ? '' : `?${query.toString()}`}`;
}
