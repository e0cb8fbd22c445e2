import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations, reviewDecisions, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { requireReason } from '#server/audit/index.ts';
import type { DecisionKind } from '@mesh-registry/protocol/values.schema.ts';
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
  { note, rev, ...decision }: NewDecision,
  now = s.clock(),
): Promise<PendingDecision> {
  const outcome = (await decideAll(s, [{ note, rev }], decision, now)).get(note);
  if (!outcome) throw noSuchNote();
  if (isAppError(outcome)) throw outcome;
  return outcome;
}

/**
 * Makes the same decision on several registrations, in one transaction: each as by {@link decide}, and one that
 * cannot be decided does not prevent the others.
 * @returns by note, the decision or why there is none; without notes that no registration has
 * @throws AppError `invalid_body` (the reason), `unavailable`
 */
export async function decideAll(
  s: ServiceContext,
  seen: Pick<NewDecision, 'note' | 'rev'>[],
  { reviewer, decision, reason: raw = '' }: Omit<NewDecision, 'note' | 'rev'>,
  now = s.clock(),
): Promise<Map<string, PendingDecision | AppError>> {
  const reason = decision === 'accept' ? null : requireReason(raw);
  const revs = new Map(seen.map(({ note, rev }) => [note, rev]));
  return withRetry(async () => {
    const before = await readByNotes(s.db, [...revs.keys()]);
    if (before.length === 0) return new Map<string, PendingDecision | AppError>();
    const ids = before.map(({ id }) => id);
    return s.db.transaction(async (tx) => {
      // The decisions first, then the registrations: they show a decision that was carried out in between.
      const inserted = await tx
        .insert(reviewDecisions)
        .values(
          before.map(({ id, paymentNote, rev }) => ({
            registrationId: id,
            reviewer,
            decision,
            reason,
            rev: decision === 'reject' ? (revs.get(paymentNote) ?? rev) : null,
            madeAt: new Date(now),
            effectiveAt: new Date(now + UNDO_MS),
          })),
        )
        .onConflictDoNothing()
        .returning();
      const made = new Map(inserted.map((row) => [row.registrationId, row]));
      const rows = await tx.select().from(registrations).where(inArray(registrations.id, ids));
      const earlier =
        made.size === rows.length
          ? []
          : await tx
              .select()
              .from(reviewDecisions)
              .where(inArray(reviewDecisions.registrationId, ids));
      const others = new Map(earlier.map((row) => [row.registrationId, row]));

      const outcomes = new Map<string, PendingDecision | AppError>();
      const refused: string[] = [];
      for (const row of rows) {
        const own = made.get(row.id);
        const first = own ?? others.get(row.id);
        try {
          if (own || !first) requireDecidable(decision, row, own?.rev);
          if (!first)
            throw new AppError('invalid_state', 'Another decision was just undone. Try again.');
          const same =
            first.reviewer === reviewer && first.decision === decision && first.reason === reason;
          if (!same) throw decidedFirst(first, reviewer, now);
          outcomes.set(row.paymentNote, presentDecision(first, row));
        } catch (error) {
          if (!isAppError(error)) throw error;
          outcomes.set(row.paymentNote, error);
          if (own) refused.push(row.id);
        }
      }
      if (refused.length > 0)
        await tx.delete(reviewDecisions).where(inArray(reviewDecisions.registrationId, refused));
      return outcomes;
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
 * Undoes those of the reviewer's decisions on these registrations that have not taken effect.
 * @throws AppError `already_decided` (there is none), `unavailable`
 */
export async function undoAll(
  s: ServiceContext,
  { notes, reviewer }: { notes: string[]; reviewer: string },
): Promise<void> {
  const undone = await withRetry(async () => {
    const rows = await readByNotes(s.db, notes);
    if (rows.length === 0) return [];
    await countRemoval(s.db);
    return s.db
      .delete(reviewDecisions)
      .where(
        and(
          inArray(
            reviewDecisions.registrationId,
            rows.map(({ id }) => id),
          ),
          eq(reviewDecisions.reviewer, reviewer),
        ),
      )
      .returning({ id: reviewDecisions.registrationId });
  });
  if (undone.length === 0)
    throw new AppError('already_decided', 'These decisions have already taken effect.');
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

/** The registrations with these payment notes, from the database, always in the same order: two who decide the same ones must not wait for each other. */
async function readByNotes(db: Db, notes: string[]): Promise<RegistrationRow[]> {
  // The database stores no NUL.
  const storable = notes.filter((note) => !note.includes('\0'));
  return storable.length === 0
    ? []
    : db
        .select()
        .from(registrations)
        .where(inArray(registrations.paymentNote, storable))
        .orderBy(asc(registrations.id));
}

/** The registration with this payment note, from the database. @throws AppError `not_found` */
export async function readByNote(db: Db, note: string): Promise<RegistrationRow> {
  // The database stores no NUL.
  const [row] = note.includes('\0')
    ? []
    : await db.select().from(registrations).where(eq(registrations.paymentNote, note));
  if (!row) throw noSuchNote();
  return row;
}
