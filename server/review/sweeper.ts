import { asc, eq, getTableColumns } from 'drizzle-orm';
import { reviewDecisions, reviewers } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { InTransaction } from '#server/registration/index.ts';
import { removeDecision, type DecisionRow } from './decisions.ts';
import { accept, reject, revoke } from './transitions.ts';

/** How often a process checks again while decisions are pending, milliseconds. */
const POLL_MS = 1000;

/** Carries out decisions as they become due: wakes for the next one, and sleeps while there is none. */
export class DecisionSweeper {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(private readonly s: ServiceContext) {}

  /** Call after a decision: checks now, and from then on until none is pending. */
  wake(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#again = this.#running !== undefined;
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Pending decisions are left to the next start, or to another process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sweep(): Promise<void> {
    let delay = POLL_MS;
    try {
      const next = await sweepDecisions(this.s);
      if (next === null) return;
      delay = Math.min(Math.max(next - this.s.clock(), 0) + 1, POLL_MS);
    } catch (error) {
      this.s.log.warn({ err: error }, 'could not carry out decisions; retrying');
    }
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), delay).unref();
  }
}

/**
 * Carries out every due decision. Any number of processes may do this at once, and each may die at any point.
 * @returns when the next decision takes effect (ms); null if none is pending
 * @throws AppError `unavailable`
 */
export async function sweepDecisions(s: ServiceContext, now = s.clock()): Promise<number | null> {
  const pending = await withRetry(() =>
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
  for (const { decision, deactivatedAt } of pending) {
    try {
      if (deactivatedAt) await drop(s, decision, 'the reviewer was deactivated');
      else if (decision.effectiveAt.getTime() <= now) await carryOut(s, decision, now);
      else next ??= decision.effectiveAt.getTime();
    } catch (error) {
      // One failure does not hold up the other decisions.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure as Error;
  return next;
}

async function carryOut(s: ServiceContext, row: DecisionRow, now: number): Promise<void> {
  const { registrationId: id, reviewer, decision, reason, rev } = row;
  // If it was undone or carried out since it was read, the change must not happen.
  const claim: InTransaction = async (tx) => {
    if (!(await removeDecision(tx, row)))
      throw new AppError('invalid_state', 'The decision was undone.');
  };
  try {
    if (decision === 'accept') await accept(s, { id, reviewer }, now, claim);
    else {
      const end = { reject, revoke }[decision];
      await end(s, { id, reviewer, reason: reason ?? '', rev }, now, claim);
    }
  } catch (error) {
    if (!isAppError(error) || error.code === 'unavailable') throw error;
    // Not the message, which names reviewers and their reasons.
    await drop(s, row, error.code);
  }
}

/** For a decision that the registration no longer allows. The registration's page shows what happened instead. */
async function drop(s: ServiceContext, row: DecisionRow, why: string): Promise<void> {
  if (await withRetry(() => removeDecision(s.db, row)))
    s.log.warn({ decision: row.decision, why }, 'dropped a decision');
}
