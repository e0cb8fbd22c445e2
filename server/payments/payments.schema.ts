import { listHref, pageIn } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';

/** The query of the payments page. Free of zod: the browser reads it too. */

/**
 * How a payment matches the registration whose note it carries. While that one waits for review: `found` (one
 * payment of the right amount), `differs`, `several`; while its operator has not confirmed it: `unconfirmed`; once
 * decided: `active`, `rejected`. `unmatched`: no registration has the note. `reversed`: a later export calls the
 * payment failed, cancelled or refunded; it counts for nothing, whatever it matches.
 */
export const MATCH_STATES = [
  'found',
  'differs',
  'several',
  'unconfirmed',
  'unmatched',
  'active',
  'rejected',
  'reversed',
] as const;
export type MatchState = (typeof MATCH_STATES)[number];

/** How the id of a payment begins whose file has no transaction ids. */
export const DERIVED_ID_PREFIX = 'made_';
export const PAYMENTS_ON_PAGE = 50;
/** Largest export, bytes. */
export const FILE_BYTES = 2 * 1024 * 1024;
/** Most registrations that can be accepted together: as many as a person can check. */
export const BULK_ACCEPT_MAX = 50;

/** The order of the numbers in a date. 3/4/2026 can be two dates, so a person chooses. */
export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** What files call a completed payment, in any letter case; the app writes "payment" before some of them. */
export const COMPLETED = [
  ...['completed', 'complete', 'deposited', 'received', 'sent'],
  ...['booked', 'posted', 'settled', 'cleared', 'succeeded', 'successful', 'gebucht'],
] as const;

/** Longest search text, characters. */
export const PAYMENT_SEARCH_MAX = 100;

export interface PaymentQuery {
  q: string;
  matchState: MatchState | null;
  /** From 1. */
  page: number;
}

export interface PaymentFilter extends PaymentQuery {
  /** Only payments that a person has to look at. */
  needsLook?: boolean;
}

/**
 * The tabs of the payments page: registrations that can be accepted in bulk, payments that a person has to look at,
 * and imports with everything they brought.
 */
export const PAYMENT_TABS = ['accept', 'look', 'imports'] as const;
export type PaymentTab = (typeof PAYMENT_TABS)[number];

/**
 * The tab that a page's address asks for; null if it names none, and the page opens the first one with work. A search
 * without a tab is one of all payments.
 */
export function readPaymentTab(query: URLSearchParams): PaymentTab | null {
  const named = PAYMENT_TABS.find((tab) => tab === query.get('tab'));
  if (named) return named;
  if (query.has('done')) return 'accept';
  return ['q', 'state', 'page'].some((name) => query.has(name)) ? 'imports' : null;
}

/** Reads a page's address: an unknown value counts as missing. */
export function readPaymentQuery(query: URLSearchParams): PaymentQuery {
  return {
    q: searchText(query.get('q'), PAYMENT_SEARCH_MAX),
    matchState: MATCH_STATES.find((state) => state === query.get('state')) ?? null,
    page: pageIn(query),
  };
}

export const paymentsHref = (
  tab: PaymentTab,
  { q, matchState, page }: Partial<PaymentQuery> = {},
): string => listHref('/review/payments', { tab, q, state: matchState, page });
