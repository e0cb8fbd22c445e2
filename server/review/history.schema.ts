import { searchText } from '#server/common/search-text.schema.ts';
import { ACTIONS, type Action } from '#server/common/values.schema.ts';

/** What the page of the history may be asked for. Free of zod, because the browser reads it too. */

/** What happens to a registration, as the history tells it. */
export const REGISTRATION_EVENTS = [
  'started',
  'confirmed',
  'accepted',
  'rejected',
  'revoked',
  'expired',
] as const;
export type RegistrationEvent = (typeof REGISTRATION_EVENTS)[number];

export type HistoryEvent = RegistrationEvent | Action;
export const HISTORY_EVENTS: readonly HistoryEvent[] = [...REGISTRATION_EVENTS, ...ACTIONS];

export const HISTORY_ON_PAGE = 50;
export const HISTORY_QUERY_MAX = 100;

export interface HistoryFilter {
  /** Part of a name, note, node id, actor or reason, in any case of letters; empty: all. */
  q: string;
  /** Exactly; empty: all. */
  actor: string;
  event: HistoryEvent | null;
  /** First and last day, `2026-11-20`, UTC; empty: open. */
  from: string;
  until: string;
}

/** A place between two entries. It stays where it is, whatever is added. */
export interface HistoryCursor {
  at: Date;
  id: string;
}

export interface HistoryQuery extends HistoryFilter {
  /** Entries older than this one, or newer ones; neither: the newest. */
  before: HistoryCursor | null;
  after: HistoryCursor | null;
}

/** A value that is none of ours counts as not given: this is a page's address, which people edit. */
export function readHistoryQuery(query: URLSearchParams): HistoryQuery {
  const text = (name: string) => searchText(query.get(name), HISTORY_QUERY_MAX);
  return {
    q: text('q'),
    actor: text('actor'),
    event: HISTORY_EVENTS.find((event) => event === query.get('event')) ?? null,
    from: readDay(text('from')),
    until: readDay(text('until')),
    before: readCursor(query.get('before')),
    after: readCursor(query.get('after')),
  };
}

/** What of it counts as not given: a program that asks for a file is told so, lest it takes all for a month. */
export function wrongInHistoryQuery(query: URLSearchParams): { path: string; message: string }[] {
  const read = readHistoryQuery(query);
  return [
    { path: 'event', message: `must be one of ${HISTORY_EVENTS.join(', ')}` },
    { path: 'from', message: 'must be a day such as 2026-11-20' },
    { path: 'until', message: 'must be a day such as 2026-11-20' },
  ].filter(({ path }) => query.get(path) && !read[path as 'event' | 'from' | 'until']);
}

/** `2026-11-20` where it is a day of this century, else empty. */
export function readDay(text: string): string {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(text)) return '';
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? text : '';
}

function readCursor(text: string | null): HistoryCursor | null {
  const found = /^(\d{12,13})_([\w:-]{1,100})$/.exec(text ?? '');
  return found ? { at: new Date(Number(found[1])), id: found[2] ?? '' } : null;
}

const writeCursor = ({ at, id }: HistoryCursor) => `${at.getTime()}_${id}`;

/** The filter's part of an address: of the page, and of the download. */
export function historyParams(filter: HistoryFilter): URLSearchParams {
  const { q, actor, event, from, until } = filter;
  return new URLSearchParams({
    ...(q && { q }),
    ...(actor && { actor }),
    ...(event && { event }),
    ...(from && { from }),
    ...(until && { until }),
  });
}

export function historyHref(
  filter: HistoryFilter,
  place: { before?: HistoryCursor | null; after?: HistoryCursor | null } = {},
  path = '/review/history',
): string {
  const query = historyParams(filter);
  if (place.before) query.set('before', writeCursor(place.before));
  if (place.after) query.set('after', writeCursor(place.after));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
