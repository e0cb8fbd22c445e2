import { listHref, pageIn } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import {
  REGISTRATION_STATUSES,
  type RegistrationStatus,
} from '@mesh-registry/protocol/values.schema.ts';

/** The state of the registrations page in its URL. Without zod, because the browser uses it too. */

export interface ReviewSearch {
  /** Part of a name, label, note, node's id or confirmation text, in any case of letters; empty: all. */
  q: string;
  status: RegistrationStatus | null;
  /** From 1. A number beyond the last page shows the last page. */
  page: number;
}

/** As long as the longest text that is searched. */
export const REVIEW_QUERY_MAX = 128;

/** Reads the state from a URL. Unknown values count as absent, because people edit URLs. */
export function readReviewSearch(query: URLSearchParams): ReviewSearch {
  return {
    q: searchText(query.get('q'), REVIEW_QUERY_MAX),
    status: REGISTRATION_STATUSES.find((status) => status === query.get('status')) ?? null,
    page: pageIn(query),
  };
}

/** The URL of a search, without default values. */
export const reviewSearchHref = ({ q, status, page }: ReviewSearch): string =>
  listHref('/review/registrations', { q, status, page });
