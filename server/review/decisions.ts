import { and, asc, eq, getTableColumns } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  countRemoval,
  registrations,
  reviewDecisions,
  reviewers,
  type RegistrationRow,
} from '#db/schema.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import type { DecisionKind } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import {
  accept,
  alreadyDecided,
  reject,
  requireDecidable,
  revoke,
  requireReason,
} from './transitions.ts';

/**
 * Decisions that can still be undone. A decision is a row from the moment it is acknowledged, and takes
 * effect some seconds later, whoever is alive then: whichever process comes by first carries it out.
 * The row is deleted in the transaction of the change, so that a decision is either waiting, or undone,
 * or carried out once; never two of these, and never none.
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
  /** For reject and revoke; the operator sees it. */
  reason?: string | undefined;
  /** For reject: the registration as the reviewer saw it; without it, as it is now. */
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
  /** Of a rejection: of which `rev` of the registration. */
  rev: number | null;
  effectiveAt: string;
}

/**
 * Decides, with effect in {@link UNDO_MS}. To decide the same again changes nothing.
 * @throws AppError `not_found`, `invalid_body` (the reason), `already_decided` (somebody was first),
 *   `invalid_state`, `unavailable`
 */
export async function decide(
  s: ServiceContext,
  { note, reviewer, decision, reason = '', rev: seen }: NewDecision,
  now = s.clock(),
): Promise<PendingDecision> {
  const text = decision === 'accept' ? null : requireReason(reason);
  return withRetry(async () => {
    const { id: registrationId, rev } = await registrationOf(s.db, note);
    return s.db.transaction(async (tx) => {
      // First the row, then a look at the registration: a decision that was carried out in between shows in it.
      const [made] = await tx
        .insert(reviewDecisions)
        .values({
          registrationId,
          reviewer,
          decision,
          reason: text,
          rev: decision === 'reject' ? (seen ?? rev) : null,
          madeAt: new Date(now),
          effectiveAt: new Date(now + UNDO_MS),
        })
        .onConflictDoNothing()
        .returning();
      const row = await registrationOf(tx, note);
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
        throw new AppError('invalid_state', 'Another decision was undone just now. Try again.');
      }
      if (first.reviewer === reviewer && first.decision === decision && first.reason === text)
        return presentDecision(first, row);
      throw decidedFirst(first, reviewer, now);
    });
  });
}

/**
 * For a decision that takes effect at once: a decision that can still be undone is not overtaken, and
 * whoever decides from now on waits for the end of the transaction.
 * @throws AppError `already_decided`
 */
export async function requireUndecided(
  tx: Db,
  { registrationId, reviewer }: Pick<DecisionRow, 'registrationId' | 'reviewer'>,
  now: number,
): Promise<void> {
  const at = new Date(now);
  // There is at most one of a registration: the row that is made and removed here keeps its place.
  const [place] = await tx
    .insert(reviewDecisions)
    .values({ registrationId, reviewer, decision: 'accept', madeAt: at, effectiveAt: at })
    .onConflictDoNothing()
    .returning();
  if (!place)
    throw new AppError('already_decided', 'A reviewer has decided this, and can still undo it.');
  await remove(tx, place);
}

function decidedFirst(first: DecisionRow, reviewer: string, now: number): AppError {
  const seconds = Math.max(0, Math.ceil((first.effectiveAt.getTime() - now) / 1000));
  const what = `${first.decision} this registration`;
  const why = first.reason === null ? '' : ` (${first.reason})`;
  return new AppError(
    'already_decided',
    first.reviewer === reviewer
      ? `You already chose to ${what}. Undo that first.`
      : `${first.reviewer} chose to ${what}${why}; it takes effect in ${seconds} s, and can be undone by them until then.`,
  );
}

/**
 * Takes a decision back, for as long as it has not taken effect.
 * @throws AppError `not_found`, `already_decided` (it has taken effect), `invalid_state` (it is another
 *   reviewer's, or there is none), `unavailable`
 */
export async function undo(
  s: ServiceContext,
  { note, reviewer }: Pick<NewDecision, 'note' | 'reviewer'>,
): Promise<void> {
  await withRetry(async () => {
    const { id } = await registrationOf(s.db, note);
    const [undone] = await s.db
      .delete(reviewDecisions)
      .where(and(eq(reviewDecisions.registrationId, id), eq(reviewDecisions.reviewer, reviewer)))
      .returning({ removal: countRemoval });
    if (undone) return;
    const [other] = await s.db
      .select()
      .from(reviewDecisions)
      .where(eq(reviewDecisions.registrationId, id));
    if (other)
      throw new AppError('invalid_state', `Only ${other.reviewer} can undo their own decision.`);
    // What was decided, by whom and when, where it was; a registration that waits has nothing to undo.
    const row = await registrationOf(s.db, note);
    if (row.decidedAt !== null) throw alreadyDecided(row);
    throw new AppError('invalid_state', 'There is nothing to undo.');
  });
}

/**
 * Carries out what is due. Any number of processes may do it at once, and one may die at any point.
 * @returns when the next decision takes effect (ms); null where none waits
 * @throws AppError `unavailable`
 */
export async function sweepDecisions(s: ServiceContext, now = s.clock()): Promise<number | null> {
  const waiting = await withRetry(() =>
    s.db
      .select({
        decision: getTableColumns(reviewDecisions),
        deactivatedAt: reviewers.deactivatedAt,
      })
      .from(reviewDecisions)
      .leftJoin(reviewers, eq(reviewers.email, reviewDecisions.reviewer))
      .orderBy(asc(reviewDecisions.effectiveAt)),
  );
  let next: number | null = null;
  let failure: unknown;
  for (const { decision, deactivatedAt } of waiting) {
    try {
      if (deactivatedAt) await drop(s, decision, 'the reviewer was deactivated');
      else if (decision.effectiveAt.getTime() <= now) await carryOut(s, decision, now);
      else next ??= decision.effectiveAt.getTime();
    } catch (error) {
      // One that fails keeps none of the others waiting.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure as Error;
  return next;
}

async function carryOut(s: ServiceContext, row: DecisionRow, now: number): Promise<void> {
  const { registrationId: id, reviewer, decision, reason, rev } = row;
  // Undone, or carried out by another process, since we looked: then the change must not be.
  const claim = async (tx: Db) => {
    if (!(await remove(tx, row))) throw new AppError('invalid_state', 'The decision was undone.');
  };
  try {
    if (decision === 'accept') await accept(s, { id, reviewer }, now, claim);
    else
      await { reject, revoke }[decision](
        s,
        { id, reviewer, reason: reason ?? '', rev },
        now,
        claim,
      );
  } catch (error) {
    if (!isAppError(error) || error.code === 'unavailable') throw error;
    // The message names reviewers and their reasons.
    await drop(s, row, error.code);
  }
}

/** The registration does not allow it any more. Its page tells what became of it. */
async function drop(s: ServiceContext, row: DecisionRow, why: string): Promise<void> {
  if (await withRetry(() => remove(s.db, row)))
    s.log.warn({ decision: row.decision, why }, 'a decision was dropped');
}

/** @returns false where this very decision is no longer there */
async function remove(db: Db, row: DecisionRow): Promise<boolean> {
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
    .returning({ removal: countRemoval });
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

/** The registration with this payment note, as it is in the database. @throws AppError `not_found` */
export async function registrationOf(db: Db, note: string): Promise<RegistrationRow> {
  // The database takes no NUL.
  const [row] = note.includes('\0')
    ? []
    : await db.select().from(registrations).where(eq(registrations.paymentNote, note));
  if (!row) throw new AppError('not_found', 'There is no registration with this payment note.');
  return row;
}

/** How often a process looks again while decisions wait, milliseconds. */
const LOOK_AGAIN_MS = 1000;

/** Carries out decisions as they fall due: wakes for the next one, and sleeps while there is none. */
export class DecisionSweeper {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(private readonly s: ServiceContext) {}

  /** Somebody may have decided: look now, and from then on until nothing waits. */
  wake(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#again = this.#running !== undefined;
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** What waits stays for the next start, or for another process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sweep(): Promise<void> {
    let delay = LOOK_AGAIN_MS;
    try {
      const next = await sweepDecisions(this.s);
      if (next === null) return;
      delay = Math.min(Math.max(next - this.s.clock(), 0) + 1, LOOK_AGAIN_MS);
    } catch (error) {
      this.s.log.warn({ err: error }, 'the sweep of decisions failed');
    }
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), delay).unref();
  }
}
