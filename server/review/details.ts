import { and, asc, desc, eq, inArray, isNull, like, ne, or, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '#db/client.ts';
import { payments, registrations, type RegistrationRow } from '#db/schema/index.ts';
import { containing } from '#server/common/search-text.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  idLetters,
  lettersOf,
  naming,
  PAYMENT_COLUMNS,
  type Payment,
} from '#server/payments/index.ts';
import { noteFromKey, noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import { readByNote, statusChanges, type StatusChangeRow } from './decisions.ts';
import { ownDecisions, readQueueState, type QueueState } from './presence.ts';
import { presentItem, presentPayment, readKnown, type Known, type ReviewContext } from './rows.ts';

/** One registration with everything known about it. */

/** Related registrations that are shown. */
const RELATED_LIMIT = 10;

/** One registration with its history. @throws AppError `not_found`, `unavailable` */
export async function reviewedRegistration(
  context: ReviewContext,
  { reviewer, note }: { reviewer: string; note: string },
  now = context.clock(),
) {
  const row = await readByNote(context.db, note);
  const [state, known, changes] = await Promise.all([
    readQueueState(context, now),
    readKnown(context, [row]),
    statusChanges(context, row.id),
  ]);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    registration: await presentDetails(context, row, state, known, now),
    history: changes.map(presentChange),
    /** The reviewer's decisions that can still be undone. */
    mine: ownDecisions(state, reviewer),
  };
}

export type StatusChange = ReturnType<typeof presentChange>;

const presentChange = ({ at, actor, fromStatus, toStatus, reason }: StatusChangeRow) => {
  return { at: at.toISOString(), actor, from: fromStatus, to: toStatus, reason };
};

export type RegistrationDetails = Awaited<ReturnType<typeof presentDetails>>;

/** @throws AppError `unavailable` */
export async function presentDetails(
  context: ReviewContext,
  row: RegistrationRow,
  state: QueueState,
  known: Known,
  now: number,
) {
  const { peer, reportedStatus, computes, blocked } = context.nodes.details(row.nodeId, now);
  /** Newest change first. `total` also counts those that are left out. */
  const related = (rows: RegistrationRow[]) => {
    const others = rows.filter(({ id }) => id !== row.id);
    return { rows: others.slice(0, RELATED_LIMIT).map(presentRelated), total: others.length };
  };
  const [paying, ofNode, ofName, earlier, later] = await Promise.all([
    samePayment(context, known.matches.get(row.id)?.named ?? []),
    othersWith(context.db, registrations.nodeId, row.nodeId, row.id),
    othersWith(context.db, registrations.name, row.name, row.id),
    earlierOf(context, row),
    othersWith(context.db, registrations.earlierId, row.id, row.id),
  ]);
  return {
    ...presentItem(context, row, state, known, now),
    /** What reviewers have asked its operator, with the answers, the oldest first. */
    questions: known.asked.get(row.id) ?? [],
    /** The reviewers' remark; null if there is none. */
    remark: known.work.get(row.id)?.remark ?? null,
    /** The node now: its heartbeat, and what it announced. */
    node: { peer, reportedStatus, computes, blocked },
    /** Of a payment that the confirmation text names: whose note it carries, and who else names it. */
    samePayment: related(paying),
    /** With the same confirmation text, waiting or active. */
    sameConfirmation: related(context.reviewIndex.ofConfirmation(row)),
    /** The registration that ended before its operator started this one, by its operator's word; null: none. */
    earlier,
    /** Those that name this one as the earlier. */
    later,
    sameNode: ofNode,
    sameName: ofName,
  };
}

/** The other registrations of a node or a name, newest change first. @throws AppError `unavailable` */
async function othersWith(db: Db, column: AnyPgColumn, value: string, id: string) {
  const rows = await withRetry(() =>
    db
      .select({ row: registrations, total: sql<number>`(count(*) over ())::int` })
      .from(registrations)
      .where(and(eq(column, value), ne(registrations.id, id)))
      .orderBy(desc(registrations.updatedAt), asc(registrations.id))
      .limit(RELATED_LIMIT),
  );
  return { rows: rows.map(({ row }) => presentRelated(row)), total: rows[0]?.total ?? 0 };
}

/** With its imported payments, whether or not they still count for it. @throws AppError `unavailable` */
async function earlierOf({ db }: ReviewContext, { earlierId }: RegistrationRow) {
  if (earlierId === null) return null;
  const [row] = await withRetry(() =>
    db.select().from(registrations).where(eq(registrations.id, earlierId)),
  );
  if (!row) return null;
  const paid = await withRetry(() =>
    db
      .select(PAYMENT_COLUMNS)
      .from(payments)
      .where(and(eq(payments.noteKey, row.paymentNote.toUpperCase()), isNull(payments.reversedAt)))
      .orderBy(asc(payments.paidAt)),
  );
  return { ...presentRelated(row), payments: paid.map(presentPayment) };
}

/**
 * The registrations whose note a payment carries, and those whose confirmation text names it.
 * @throws AppError `unavailable`
 */
async function samePayment({ db }: ReviewContext, named: Payment[]): Promise<RegistrationRow[]> {
  if (named.length === 0) return [];
  const keyed = named.map(({ id, note }) => ({ id, noteKey: noteKey(note) }));
  const keys = keyed.flatMap(({ noteKey }) => noteKey ?? []);
  const { paymentNote, cashConfirm, updatedAt, id } = registrations;
  const texts = [...keyed.map(({ id }) => id), ...keys]
    .map(lettersOf)
    .filter((text) => text !== '');
  const found = await withRetry(() =>
    db
      .select()
      .from(registrations)
      .where(
        or(
          inArray(paymentNote, keys.map(noteFromKey)),
          // More than name it: whole words are compared below.
          ...texts.map((text) => like(idLetters(cashConfirm), containing(text))),
        ),
      )
      .orderBy(desc(updatedAt), asc(id)),
  );
  const byNote = new Map(found.map((row) => [row.paymentNote, row]));
  const notes = [
    ...keys.map(noteFromKey),
    ...[...naming(keyed, found).values()].flat().map(({ note }) => note),
  ];
  return [...new Set(notes)].flatMap((note) => byNote.get(note) ?? []);
}

/** Another registration for the same node, name or payment. */
const presentRelated = (row: RegistrationRow) => ({
  note: row.paymentNote,
  name: row.name,
  status: row.status,
  updatedAt: row.updatedAt.toISOString(),
  decidedBy: row.decidedBy,
});
