import { listHref } from '#server/common/list-url.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import { ACTIONS, type Action } from '@mesh-registry/protocol/values.schema.ts';

/** The state of the history page in its URL. Without zod, because the browser uses it too. */

/** Events of a registration. */
export const REGISTRATION_EVENTS = [
  'started',
  'confirmed',
  'accepted',
  'rejected',
  'revoked',
  'undone',
  'expired',
  'corrected',
  'proved',
  'asked',
  'answered',
  'cancelled',
  'released',
] as const;
export type RegistrationEvent = (typeof REGISTRATION_EVENTS)[number];

export type HistoryEvent = RegistrationEvent | Action;
export const HISTORY_EVENTS: readonly HistoryEvent[] = [...REGISTRATION_EVENTS, ...ACTIONS];

export const HISTORY_ON_PAGE = 50;
export const HISTORY_QUERY_MAX = 100;

export interface HistoryFilter {
  /** Part of a name, note, node id, actor or reason, in any case of letters; empty: all. */
  q: string;
  /** The whole actor; empty: all. */
  actor: string;
  event: HistoryEvent | null;
  /** First and last day in UTC, such as `2026-11-20`; empty: no bound. */
  from: string;
  until: string;
}

/** The entry at which a page begins or ends. New entries don't move it. */
export interface HistoryCursor {
  at: Date;
  id: string;
}

export interface HistoryQuery extends HistoryFilter {
  /** Entries older than this one, or newer ones; neither: the newest. */
  before: HistoryCursor | null;
  after: HistoryCursor | null;
}

/** Reads the state from a URL. Unknown values count as absent, because people edit URLs. */
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

/**
 * The values that {@link readHistoryQuery} ignores. A download reports them: a program would otherwise take the whole
 * history for the month it asked for.
 */
export function historyQueryIssues(query: URLSearchParams): { path: string; message: string }[] {
  const read = readHistoryQuery(query);
  return [
    { path: 'event', message: `must be one of ${HISTORY_EVENTS.join(', ')}` },
    { path: 'from', message: 'must be a day such as 2026-11-20' },
    { path: 'until', message: 'must be a day such as 2026-11-20' },
  ].filter(({ path }) => query.get(path) && !read[path as 'event' | 'from' | 'until']);
}

/** @returns the text if it is a day of this century, such as `2026-11-20`; else an empty text */
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

/** The URL of the page, or of the download, with a filter. */
export const historyHref = (
  { q, actor, event, from, until }: HistoryFilter,
  { before, after }: { before?: HistoryCursor | null; after?: HistoryCursor | null } = {},
  path = '/review/history',
): string =>
  listHref(path, {
    q,
    actor,
    event,
    from,
    until,
    before: before && writeCursor(before),
    after: after && writeCursor(after),
  });
