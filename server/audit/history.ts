import { and, asc, count, desc, eq, gt, gte, ilike, lt, lte, or, sql, type SQL } from 'drizzle-orm';
import { unionAll, type PgColumn } from 'drizzle-orm/pg-core';
import { containing } from '#server/common/search-text.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { registrationHistory, registrations, reviewActions, reviewers } from '#db/schema/index.ts';
import {
  HISTORY_ON_PAGE,
  REGISTRATION_EVENTS,
  type HistoryCursor,
  type HistoryEvent,
  type HistoryFilter,
  type HistoryQuery,
} from './history.schema.ts';
import {
  ACTIONS,
  ANSWERED_REASON,
  ASKED_REASON,
  OPERATOR,
  PROVED_REASON,
  SYSTEM,
} from '@mesh-registry/protocol/values.schema.ts';
import type { ServiceContext } from '#server/context.ts';

/** Every change of state and everything reviewers did, in one list: two tables, queried as one. */

export type HistoryEntry = Awaited<ReturnType<typeof entriesFrom>>[number];

const CHANGE = {
  // Padded, so that of two changes in one millisecond the later one also sorts later as text.
  id: sql<string>`${registrations.paymentNote} || ':' || lpad(cast(${registrationHistory.rev} as text), 9, '0')`,
  event: sql<HistoryEvent>`case
    when ${registrationHistory.fromStatus} is null then 'started'
    when ${registrationHistory.fromStatus} = ${registrationHistory.toStatus} and ${registrationHistory.reason} = ${sql.raw(`'${PROVED_REASON}'`)} then 'proved'
    when ${registrationHistory.fromStatus} = ${registrationHistory.toStatus} and ${registrationHistory.reason} = ${sql.raw(`'${ASKED_REASON}'`)} then 'asked'
    when ${registrationHistory.fromStatus} = ${registrationHistory.toStatus} and ${registrationHistory.reason} = ${sql.raw(`'${ANSWERED_REASON}'`)} then 'answered'
    when ${registrationHistory.fromStatus} = ${registrationHistory.toStatus} then 'corrected'
    when ${registrationHistory.fromStatus} in ('active', 'rejected') and ${registrationHistory.toStatus} <> 'rejected' and ${registrationHistory.actor} <> ${sql.raw(`'${OPERATOR}'`)} then 'undone'
    when ${registrationHistory.toStatus} = 'pending_review' then 'confirmed'
    when ${registrationHistory.toStatus} = 'active' then 'accepted'
    when ${registrationHistory.actor} = ${sql.raw(`'${SYSTEM}'`)} then 'expired'
    when ${registrationHistory.actor} = ${sql.raw(`'${OPERATOR}'`)} and ${registrationHistory.fromStatus} = 'active' then 'released'
    when ${registrationHistory.actor} = ${sql.raw(`'${OPERATOR}'`)} then 'cancelled'
    when ${registrationHistory.fromStatus} = 'active' then 'revoked'
    else 'rejected' end`,
};

/** One page of the history, newest first. @throws AppError `unavailable` */
export async function historyPage(context: ServiceContext, query: HistoryQuery) {
  const ascending = query.after !== null && query.before === null;
  const text = await searchFor(context, query);
  const [total, found] = await Promise.all([
    countHistory(context, query, text),
    entriesFrom(
      context,
      query,
      text,
      ascending ? query.after : query.before,
      ascending,
      HISTORY_ON_PAGE + 1,
    ),
  ]);
  const more = found.length > HISTORY_ON_PAGE;
  const entries = found.slice(0, HISTORY_ON_PAGE);
  if (ascending) entries.reverse();
  const [first, last] = [entries[0], entries.at(-1)];
  return {
    entries,
    /** Entries that the filter matches, on all pages. */
    total,
    newer: first && (ascending ? more : query.before !== null) ? cursorAt(first) : null,
    older: last && (ascending || more) ? cursorAt(last) : null,
  };
}

const cursorAt = ({ at, id }: HistoryEntry): HistoryCursor => ({ at, id });

/** Rows per statement of an export, which is sent as it is read. */
const EXPORT_ROWS = 1000;

/** Every entry that a filter matches, newest first, in batches. @throws AppError `unavailable` */
export async function* exportHistory(
  context: ServiceContext,
  filter: HistoryFilter,
): AsyncGenerator<HistoryEntry[]> {
  const text = await searchFor(context, filter);
  for (let from: HistoryCursor | null = null; ;) {
    const entries = await entriesFrom(context, filter, text, from, false, EXPORT_ROWS);
    yield entries;
    const last = entries.at(-1);
    if (!last || entries.length < EXPORT_ROWS) return;
    from = cursorAt(last);
  }
}

/**
 * Everybody who can appear in the history. Accounts are never deleted and never change their address, so their list is
 * enough: no entry has to be read.
 * @throws AppError `unavailable`
 */
export async function historyActors(context: ServiceContext): Promise<string[]> {
  const accounts = await withRetry(() =>
    context.db.select({ email: reviewers.email }).from(reviewers).orderBy(asc(reviewers.email)),
  );
  return [...accounts.map(({ email }) => email), OPERATOR, SYSTEM];
}

/**
 * Reads each table by its own index on time, and no more of it than the result can need; the two are merged only
 * then.
 */
async function entriesFrom(
  context: ServiceContext,
  filter: HistoryFilter,
  text: TextSearch | null,
  from: HistoryCursor | null,
  ascending: boolean,
  limit: number,
) {
  const order = ascending ? asc : desc;
  const [passed, level] = ascending ? [gt, gte] : [lt, lte];
  const beyond = (at: PgColumn, id: SQL | PgColumn) =>
    from
      ? // The first condition is the one that uses the index.
        and(level(at, from.at), or(passed(at, from.at), passed(sql`${id}`, from.id)))
      : undefined;
  const changes = context.db
    .select({
      at: registrationHistory.at,
      /** Of the entry. It never contains a registration's id, which is its operator's secret. */
      id: CHANGE.id.as('id'),
      /** `operator`, `system`, or a reviewer's address. */
      actor: registrationHistory.actor,
      event: CHANGE.event.as('event'),
      /** A name, a node's id, or a reviewer's address. */
      subject: sql<string>`${registrations.name}`.as('subject'),
      /** The payment note and the node of a registration; null for other subjects. */
      note: sql<string | null>`${registrations.paymentNote}`.as('note'),
      nodeId: sql<string | null>`${registrations.nodeId}`.as('node_id'),
      reason: registrationHistory.reason,
    })
    .from(registrationHistory)
    .innerJoin(registrations, eq(registrations.id, registrationHistory.registrationId))
    .where(and(changesWhere(filter, text), beyond(registrationHistory.at, CHANGE.id)))
    .orderBy(order(registrationHistory.at), order(CHANGE.id))
    .limit(limit);
  const actions = context.db
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
    .where(and(actionsWhere(filter, text), beyond(reviewActions.at, reviewActions.id)))
    .orderBy(order(reviewActions.at), order(reviewActions.id))
    .limit(limit);
  return withRetry(() =>
    unionAll(changes, actions)
      .orderBy(order(sql`at`), order(sql`id`))
      .limit(limit),
  );
}

/** Without the join to registrations, which every change has: that is ten times as fast. */
async function countHistory(
  context: ServiceContext,
  filter: HistoryFilter,
  text: TextSearch | null,
): Promise<number> {
  const [changes, actions] = await withRetry(() =>
    Promise.all([
      context.db.select({ n: count() }).from(registrationHistory).where(changesWhere(filter, text)),
      context.db.select({ n: count() }).from(reviewActions).where(actionsWhere(filter, text)),
    ]),
  );
  return (changes[0]?.n ?? 0) + (actions[0]?.n ?? 0);
}

interface TextSearch {
  /** For ilike. */
  pattern: string;
  /** Ids of registrations whose name, note or node contains the text. */
  ids: string[];
}

/**
 * Null without a text. Registrations are searched once: else the database would compare three of their texts for every
 * entry. @throws AppError `unavailable`
 */
async function searchFor({ db }: ServiceContext, { q }: HistoryFilter): Promise<TextSearch | null> {
  if (q === '') return null;
  const pattern = containing(q);
  const { id, name, paymentNote, nodeId } = registrations;
  const found = await withRetry(() =>
    db
      .select({ id })
      .from(registrations)
      .where(or(...[name, paymentNote, nodeId].map((text) => ilike(text, pattern)))),
  );
  return { pattern, ids: found.map(({ id }) => id) };
}

const NEVER = sql`false`;
const DAY_MS = 86_400_000;

function inTimeRange(at: PgColumn, { from, until }: HistoryFilter): SQL | undefined {
  return and(
    from === '' ? undefined : gte(at, new Date(from)),
    until === '' ? undefined : lt(at, new Date(Date.parse(until) + DAY_MS)),
  );
}

function changesWhere(filter: HistoryFilter, text: TextSearch | null): SQL | undefined {
  const { actor, event } = filter;
  const { registrationId, reason } = registrationHistory;
  return and(
    inTimeRange(registrationHistory.at, filter),
    actor === '' ? undefined : eq(registrationHistory.actor, actor),
    event === null
      ? undefined
      : isOneOf(REGISTRATION_EVENTS, event)
        ? sql`${CHANGE.event} = ${event}`
        : NEVER,
    text === null
      ? undefined
      : or(
          // Any number of ids in one parameter, and as a set: not every row is compared with every id.
          sql`${registrationId} in (select unnest(${sql.param(text.ids)}::text[]))`,
          ilike(registrationHistory.actor, text.pattern),
          ilike(reason, text.pattern),
        ),
  );
}

function actionsWhere(filter: HistoryFilter, text: TextSearch | null): SQL | undefined {
  const { actor, event } = filter;
  const { action, subject, reason } = reviewActions;
  return and(
    inTimeRange(reviewActions.at, filter),
    actor === '' ? undefined : eq(reviewActions.actor, actor),
    event === null ? undefined : isOneOf(ACTIONS, event) ? eq(action, event) : NEVER,
    text === null
      ? undefined
      : or(...[subject, reviewActions.actor, reason].map((each) => ilike(each, text.pattern))),
  );
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  (values as readonly string[]).includes(value);
