import { and, asc, count, desc, eq, gt, gte, ilike, lt, lte, or, sql, type SQL } from 'drizzle-orm';
import { unionAll, type PgColumn } from 'drizzle-orm/pg-core';
import { withRetry } from '#server/common/with-retry.ts';
import { registrationHistory, registrations, reviewActions, reviewers } from '#db/schema.ts';
import {
  HISTORY_ON_PAGE,
  REGISTRATION_EVENTS,
  type HistoryCursor,
  type HistoryEvent,
  type HistoryFilter,
  type HistoryQuery,
} from './history.schema.ts';
import { ACTIONS, OPERATOR, SYSTEM } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';

/** Everything that changed a state or was done by a reviewer, in one list. Two tables, asked as one. */

export interface HistoryEntry {
  /** Of the entry; a registration's own id is its operator's secret, and never in it. */
  id: string;
  at: Date;
  /** `operator`, `system`, or a reviewer's address. */
  actor: string;
  event: HistoryEvent;
  /** A name, a node's id, a reviewer's address. */
  subject: string;
  /** The payment note and the node of a registration; null for everything else. */
  note: string | null;
  nodeId: string | null;
  reason: string | null;
}

export interface HistoryPage {
  entries: HistoryEntry[];
  /** Of the filter, on all pages. */
  total: number;
  newer: HistoryCursor | null;
  older: HistoryCursor | null;
}

const CHANGE = {
  // Padded: of two changes in one millisecond the later one is the higher text as well.
  id: sql<string>`${registrations.paymentNote} || ':' || lpad(cast(${registrationHistory.rev} as text), 9, '0')`,
  event: sql<HistoryEvent>`case
    when ${registrationHistory.fromStatus} is null then 'started'
    when ${registrationHistory.toStatus} = 'pending_review' then 'confirmed'
    when ${registrationHistory.toStatus} = 'active' then 'accepted'
    when ${registrationHistory.actor} = ${sql.raw(`'${SYSTEM}'`)} then 'expired'
    when ${registrationHistory.fromStatus} = 'active' then 'revoked'
    else 'rejected' end`,
};

/** One page of the history, newest first. @throws AppError `unavailable` */
export async function history(s: ServiceContext, query: HistoryQuery): Promise<HistoryPage> {
  const upwards = query.after !== null && query.before === null;
  const text = sought(s, query);
  const [total, found] = await Promise.all([
    countHistory(s, query, text),
    entriesFrom(s, query, text, upwards ? query.after : query.before, upwards, HISTORY_ON_PAGE + 1),
  ]);
  const more = found.length > HISTORY_ON_PAGE;
  const entries = found.slice(0, HISTORY_ON_PAGE);
  if (upwards) entries.reverse();
  const [first, last] = [entries[0], entries.at(-1)];
  return {
    entries,
    total,
    newer: first && (upwards ? more : query.before !== null) ? place(first) : null,
    older: last && (upwards || more) ? place(last) : null,
  };
}

const place = ({ at, id }: HistoryEntry): HistoryCursor => ({ at, id });

/** Rows per statement of the whole history: the embedded database blocks the event loop while one runs. */
const EXPORT_ROWS = 1000;

/** All entries of a filter, newest first, in parts. @throws AppError `unavailable` */
export async function* wholeHistory(
  s: ServiceContext,
  filter: HistoryFilter,
): AsyncGenerator<HistoryEntry[]> {
  const text = sought(s, filter);
  for (let from: HistoryCursor | null = null; ;) {
    const entries = await entriesFrom(s, filter, text, from, false, EXPORT_ROWS);
    yield entries;
    const last = entries.at(-1);
    if (!last || entries.length < EXPORT_ROWS) return;
    from = place(last);
  }
}

/**
 * Who can be in the history. An account is neither deleted nor gets another address, so the few accounts tell
 * what would else have to be read from every entry.
 * @throws AppError `unavailable`
 */
export async function historyActors(s: ServiceContext): Promise<string[]> {
  const accounts = await withRetry(() =>
    s.db.select({ email: reviewers.email }).from(reviewers).orderBy(asc(reviewers.email)),
  );
  return [...accounts.map(({ email }) => email), OPERATOR, SYSTEM];
}

/**
 * Each table by its own index on time, and no more of it than the answer may need: the two are put together
 * only then.
 */
async function entriesFrom(
  s: ServiceContext,
  filter: HistoryFilter,
  text: Sought | null,
  from: HistoryCursor | null,
  upwards: boolean,
  limit: number,
): Promise<HistoryEntry[]> {
  const order = upwards ? asc : desc;
  const [passed, level] = upwards ? [gt, gte] : [lt, lte];
  const beyond = (at: PgColumn, id: SQL | PgColumn) =>
    from
      ? // The first of the two is what the index is searched by.
        and(level(at, from.at), or(passed(at, from.at), passed(sql`${id}`, from.id)))
      : undefined;
  const changes = s.db
    .select({
      at: registrationHistory.at,
      id: CHANGE.id.as('id'),
      actor: registrationHistory.actor,
      event: CHANGE.event.as('event'),
      subject: sql<string>`${registrations.name}`.as('subject'),
      note: sql<string | null>`${registrations.paymentNote}`.as('note'),
      nodeId: sql<string | null>`${registrations.nodeId}`.as('node_id'),
      reason: registrationHistory.reason,
    })
    .from(registrationHistory)
    .innerJoin(registrations, eq(registrations.id, registrationHistory.registrationId))
    .where(and(ofChanges(filter, text), beyond(registrationHistory.at, CHANGE.id)))
    .orderBy(order(registrationHistory.at), order(CHANGE.id))
    .limit(limit);
  const actions = s.db
    .select({
      at: reviewActions.at,
      id: sql<string>`${reviewActions.id}`.as('id'),
      actor: reviewActions.actor,
      event: sql<HistoryEvent>`${reviewActions.action}`.as('event'),
      subject: sql<string>`${reviewActions.subject}`.as('subject'),
      note: sql<string | null>`cast(null as text)`.as('note'),
      nodeId: sql<string | null>`cast(null as text)`.as('node_id'),
      reason: reviewActions.reason,
    })
    .from(reviewActions)
    .where(and(ofActions(filter, text), beyond(reviewActions.at, reviewActions.id)))
    .orderBy(order(reviewActions.at), order(reviewActions.id))
    .limit(limit);
  return withRetry(() =>
    unionAll(changes, actions)
      .orderBy(order(sql`at`), order(sql`id`))
      .limit(limit),
  );
}

/** Every change has its registration: not to look for that is ten times as fast. */
async function countHistory(
  s: ServiceContext,
  filter: HistoryFilter,
  text: Sought | null,
): Promise<number> {
  const [changes, actions] = await withRetry(() =>
    Promise.all([
      s.db.select({ n: count() }).from(registrationHistory).where(ofChanges(filter, text)),
      s.db.select({ n: count() }).from(reviewActions).where(ofActions(filter, text)),
    ]),
  );
  return (changes[0]?.n ?? 0) + (actions[0]?.n ?? 0);
}

interface Sought {
  /** For ilike. */
  pattern: string;
  /** Registrations in whose name, note or node the text is. */
  ids: string[];
}

/**
 * Null: no text. Registrations are searched in memory, once: the embedded database would hold three texts of
 * theirs against it for every entry, and nothing else runs meanwhile.
 */
function sought({ live }: ServiceContext, { q }: HistoryFilter): Sought | null {
  if (q === '') return null;
  const part = q.toLowerCase();
  const ids: string[] = [];
  for (const { id, name, paymentNote, nodeId } of live.registrations.rows())
    if ([name, paymentNote, nodeId].some((text) => text.toLowerCase().includes(part))) ids.push(id);
  return { pattern: `%${q.replace(/[\\%_]/g, '\\$&')}%`, ids };
}

const NEVER = sql`false`;
const DAY_MS = 86_400_000;

function ofTime(at: PgColumn, { from, until }: HistoryFilter): SQL | undefined {
  return and(
    from === '' ? undefined : gte(at, new Date(from)),
    until === '' ? undefined : lt(at, new Date(Date.parse(until) + DAY_MS)),
  );
}

function ofChanges(filter: HistoryFilter, text: Sought | null): SQL | undefined {
  const { actor, event } = filter;
  const { registrationId, reason } = registrationHistory;
  return and(
    ofTime(registrationHistory.at, filter),
    actor === '' ? undefined : eq(registrationHistory.actor, actor),
    event === null
      ? undefined
      : isOneOf(REGISTRATION_EVENTS, event)
        ? sql`${CHANGE.event} = ${event}`
        : NEVER,
    text === null
      ? undefined
      : or(
          // Any number of them in one parameter, and as a set: not each row is held against each.
          sql`${registrationId} in (select unnest(${sql.param(text.ids)}::text[]))`,
          ilike(registrationHistory.actor, text.pattern),
          ilike(reason, text.pattern),
        ),
  );
}

function ofActions(filter: HistoryFilter, text: Sought | null): SQL | undefined {
  const { actor, event } = filter;
  const { action, subject, reason } = reviewActions;
  return and(
    ofTime(reviewActions.at, filter),
    actor === '' ? undefined : eq(reviewActions.actor, actor),
    event === null ? undefined : isOneOf(ACTIONS, event) ? eq(action, event) : NEVER,
    text === null
      ? undefined
      : or(...[subject, reviewActions.actor, reason].map((each) => ilike(each, text.pattern))),
  );
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  (values as readonly string[]).includes(value);
