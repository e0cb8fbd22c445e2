import { address } from '#app/lib/address.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** The state of /trends in its URL. Anything invalid counts as left out. */
export interface TrendsQuery {
  days: Span;
  /** The chosen UTC day, `2026-11-26`; null: the last one. */
  day: string | null;
  /** A table instead of charts. */
  table: boolean;
}

export const SPANS = [30, 90, 365] as const;
export type Span = (typeof SPANS)[number];
const DEFAULT_SPAN = 90;

export function parseTrendsQuery(search: URLSearchParams): TrendsQuery {
  const day = search.get('day') ?? '';
  return {
    days: SPANS.find((days) => String(days) === search.get('days')) ?? DEFAULT_SPAN,
    day: /^\d{4}-\d\d-\d\d$/.test(day) ? day : null,
    table: search.get('view') === 'table',
  };
}

/** The URL of the page with these choices; defaults are left out. */
export const trendsHref = ({ days, day, table }: TrendsQuery): string =>
  address(hrefs.trends(), {
    days: days === DEFAULT_SPAN ? undefined : String(days),
    day: day ?? undefined,
    view: table ? 'table' : undefined,
  });

/** "30 days" or "1 year". */
export const spanText = (days: Span) => (days === 365 ? '1 year' : `${days} days`);
