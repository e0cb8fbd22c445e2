import { and, eq } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations, reviewDecisions, type RegistrationRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { requireReason } from '#server/common/reason.ts';
import type { DecisionKind } from './values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { InTransaction } from '#server/registration/index.ts';
import { countRemoval } from './queue-removals.ts';
import { noSuchNote } from './registration-row.ts';
import { accept, alreadyDecided, requireDecidable, type Decision } from './transitions.ts';

/**
 * Decisions that can still be undone. A decision is a row from the moment it is acknowledged, and takes effect some
 * seconds later: whichever process gets to it first carries it out (sweeper.ts). The row is deleted in the
 * transaction of the change, so a decision is either pending, or undone, or carried out once.
 */

/** How long a decision can be undone, milliseconds. */
export const UNDO_MS = 5000;

export type DecisionRow = typeof reviewDecisions.$inferSelect;

export interface NewDecision {
  /** The registration's payment note. */
  note: string;
  /** The reviewer's address. */
  reviewer: string;
  decision: DecisionKind;
  /** Required to reject or revoke; the operator sees it. */
  reason?: string | undefined;
  /** To reject: the `rev` of the registration that the reviewer saw; without it, the current one. */
  rev?: number | undefined;
}

/** A decision that has not taken effect yet. */
export interface PendingDecision {
  note: string;
  name: string;
  decision: DecisionKind;
  reason: string | null;
  /** The reviewer's address. */
  by: string;
  /** Rejections only: the `rev` of the registration that was rejected. */
  rev: number | null;
  effectiveAt: string;
}

/**
 * Decides, with effect in {@link UNDO_MS}. Repeating the same decision changes nothing.
 * @throws AppError `not_found`, `invalid_body` (the reason), `already_decided` (someone else was first),
 *   `invalid_state`, `unavailable`
 */
export async function decide(
  s: ServiceContext,
  { note, reviewer, decision, reason: raw = '', rev: seen }: NewDecision,
  now = s.clock(),
): Promise<PendingDecision> {
  const reason = decision === 'accept' ? null : requireReason(raw);
  return withRetry(async () => {
    const { id: registrationId, rev } = await readByNote(s.db, note);
    return s.db.transaction(async (tx) => {
      // The row first, then the registration: it shows a decision that was carried out in between.
      const [made] = await tx
        .insert(reviewDecisions)
        .values({
          registrationId,
          reviewer,
          decision,
          reason,
          rev: decision === 'reject' ? (seen ?? rev) : null,
          madeAt: new Date(now),
          effectiveAt: new Date(now + UNDO_MS),
        })
        .onConflictDoNothing()
        .returning();
      const row = await readByNote(tx, note);
      if (made) {
        requireDecidable(decision, row, made.rev);
        return presentDecision(made, row);
      }
      const [first] = await tx
        .select()
        .from(reviewDecisions)
        .where(eq(reviewDecisions.registrationId, registrationId));
      if (!first) {
        requireDecidable(decision, row);
        throw new AppError('invalid_state', 'Another decision was just undone. Try again.');
      }
      if (first.reviewer === reviewer && first.decision === decision && first.reason === reason)
        return presentDecision(first, row);
      throw decidedFirst(first, reviewer, now);
    });
  });
}

function decidedFirst(first: DecisionRow, reviewer: string, now: number): AppError {
  const seconds = Math.max(0, Math.ceil((first.effectiveAt.getTime() - now) / 1000));
  const what = `${first.decision} this registration`;
  const why = first.reason === null ? '' : ` (${first.reason})`;
  return new AppError(
    'already_decided',
    first.reviewer === reviewer
      ? `You already chose to ${what}. Undo that first.`
      : `${first.reviewer} chose to ${what}${why}. This takes effect in ${seconds} s; until then, only they can undo it.`,
  );
}

/**
 * Undoes a decision that has not taken effect.
 * @throws AppError `not_found`, `already_decided` (it has taken effect), `invalid_state` (it is another reviewer's,
 *   or there is none), `unavailable`
 */
export async function undo(
  s: ServiceContext,
  { note, reviewer }: Pick<NewDecision, 'note' | 'reviewer'>,
): Promise<void> {
  await withRetry(async () => {
    const { id } = await readByNote(s.db, note);
    await countRemoval(s.db);
    const [undone] = await s.db
      .delete(reviewDecisions)
      .where(and(eq(reviewDecisions.registrationId, id), eq(reviewDecisions.reviewer, reviewer)))
      .returning({ id: reviewDecisions.registrationId });
    if (undone) return;
    const [other] = await s.db
      .select()
      .from(reviewDecisions)
      .where(eq(reviewDecisions.registrationId, id));
    if (other)
      throw new AppError('invalid_state', `Only ${other.reviewer} can undo this decision.`);
    const row = await readByNote(s.db, note);
    if (row.decidedAt !== null) throw alreadyDecided(row);
    throw new AppError('invalid_state', 'There is nothing to undo.');
  });
}

/**
 * Accepts with immediate effect, unless a decision on the registration can still be undone.
 * @param inTransaction checked in the transaction of the change; throws to prevent it
 * @throws AppError `not_found`, `already_decided`, `invalid_state`, `unavailable`, or what `inTransaction` throws
 */
export async function acceptNow(
  s: ServiceContext,
  decision: Decision,
  inTransaction: InTransaction,
  now = s.clock(),
): Promise<void> {
  await accept(s, decision, now, async (tx) => {
    await inTransaction(tx);
    await lockDecision(tx, decision, now);
  });
}

/**
 * Makes anyone else who decides wait for the end of this transaction.
 * @throws AppError `already_decided` if a decision can still be undone
 */
async function lockDecision(tx: Db, { id, reviewer }: Decision, now: number): Promise<void> {
  const at = new Date(now);
  // A registration has at most one row: inserting and removing one locks its key until the transaction ends.
  const [lock] = await tx
    .insert(reviewDecisions)
    .values({ registrationId: id, reviewer, decision: 'accept', madeAt: at, effectiveAt: at })
    .onConflictDoNothing()
    .returning();
  if (!lock)
    throw new AppError(
      'already_decided',
      'A reviewer has decided this registration and can still undo the decision.',
    );
  await removeDecision(tx, lock);
}

/** @returns false if this very decision no longer exists */
export async function removeDecision(db: Db, row: DecisionRow): Promise<boolean> {
  await countRemoval(db);
  const removed = await db
    .delete(reviewDecisions)
    .where(
      and(
        eq(reviewDecisions.registrationId, row.registrationId),
        eq(reviewDecisions.reviewer, row.reviewer),
        eq(reviewDecisions.decision, row.decision),
        eq(reviewDecisions.madeAt, row.madeAt),
      ),
    )
    .returning({ id: reviewDecisions.registrationId });
  return removed.length > 0;
}

export const presentDecision = (
  { decision, reason, reviewer, rev, effectiveAt }: DecisionRow,
  { paymentNote, name }: Pick<RegistrationRow, 'paymentNote' | 'name'>,
): PendingDecision => ({
  note: paymentNote,
  name,
  decision,
  reason,
  by: reviewer,
  rev,
  effectiveAt: effectiveAt.toISOString(),
});

/** The registration with this payment note, from the database. @throws AppError `not_found` */
export async function readByNote(db: Db, note: string): Promise<RegistrationRow> {
  // The database stores no NUL.
  const [row] = note.includes('\0')
    ? []
    : await db.select().from(registrations).where(eq(registrations.paymentNote, note));
  if (!row) throw noSuchNote();
  return row;
}
