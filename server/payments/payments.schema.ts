import { searchText } from '#server/common/search-text.schema.ts';

/** What the page of payments may be asked for. Free of zod, because the browser reads it too. */

/**
 * What a payment is to the registration whose note it carries. That one waits: `found` (one payment, the right
 * amount), `differs`, `several`; has not been confirmed: `unsaid`; is decided: `active`, `rejected`.
 * `unmatched`: no registration has its note. `reversed`: a later export calls it failed, cancelled or given back;
 * it counts for nothing, whatever it is to a registration.
 */
export const PAYMENT_PLACES = [
  'found',
  'differs',
  'several',
  'unsaid',
  'unmatched',
  'active',
  'rejected',
  'reversed',
] as const;
export type PaymentPlace = (typeof PAYMENT_PLACES)[number];

/** Begins the id of a payment whose file has none. */
export const MADE_ID = 'made_';
export const PAYMENTS_ON_PAGE = 50;
/** Largest export, bytes. */
export const FILE_BYTES = 2 * 1024 * 1024;
/** Most registrations that are accepted together: what a person can look at. */
export const TOGETHER_MAX = 50;

/** In which order a date has its numbers. 3/4/2026 is two dates, so a person says which. */
export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** What a file calls a payment that came in and stays, in any case of letters; the app writes "payment" before some. */
export const COMPLETED = [
  ...['completed', 'complete', 'deposited', 'received', 'sent'],
  ...['booked', 'posted', 'settled', 'cleared', 'succeeded', 'successful', 'gebucht'],
] as const;

/** Longest text that is searched for, characters. */
export const PAYMENT_SEARCH_MAX = 100;

export interface PaymentQuery {
  q: string;
  place: PaymentPlace | null;
  /** From 1. */
  page: number;
}

/** A value that is none of ours counts as not given: this is a page's address. */
export function readPaymentQuery(query: URLSearchParams): PaymentQuery {
  const page = query.get('page') ?? '';
  return {
    q: searchText(query.get('q'), PAYMENT_SEARCH_MAX),
    place: PAYMENT_PLACES.find((place) => place === query.get('state')) ?? null,
    page: /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

export function paymentsHref({ q, place, page }: PaymentQuery): string {
  const query = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(place && { state: place }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? '/review/payments' : `/review/payments?${query.toString()}`;
}
