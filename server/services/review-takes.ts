import { and, eq, gt, lte, ne, or } from 'drizzle-orm';
import { withRetry } from '../../db/retry.ts';
import { countRemoval, reviewTakes } from '../../db/schema.ts';
import type { ServiceContext } from './context.ts';
import { registrationOf } from './review-decisions.ts';

/**
 * Who has what open. Presence, not a lock: it tells reviewers of each other, and keeps nobody from
 * deciding.
 */

/** A take that is older than this counts for nothing, milliseconds. */
export const TAKE_MS = 10 * 60_000;

export type TakeRow = typeof reviewTakes.$inferSelect;

export interface Take {
  /** The reviewer's address. */
  by: string;
  since: string;
}

export const presentTake = ({ reviewer, takenAt }: TakeRow): Take => ({
  by: reviewer,
  since: takenAt.toISOString(),
});

/**
 * The reviewer opens a registration: what else they had is put back. Who has it already keeps it, unless
 * it is taken `over`.
 * @returns who has it now
 * @throws AppError `not_found`, `unavailable`
 */
export async function take(
  s: ServiceContext,
  { note, reviewer, over = false }: { note: string; reviewer: string; over?: boolean },
  now = s.clock(),
): Promise<Take> {
  const takenAt = new Date(now);
  const old = new Date(now - TAKE_MS);
  return withRetry(async () => {
    const { id: registrationId } = await registrationOf(s.db, note);
    return s.db.transaction(async (tx) => {
      await tx
        .delete(reviewTakes)
        .where(
          and(eq(reviewTakes.reviewer, reviewer), ne(reviewTakes.registrationId, registrationId)),
        )
        .returning({ removal: countRemoval });
      const [taken] = await tx
        .insert(reviewTakes)
        .values({ registrationId, reviewer, takenAt })
        .onConflictDoUpdate({
          target: reviewTakes.registrationId,
          set: { reviewer, takenAt },
          ...(!over && { setWhere: lte(reviewTakes.takenAt, old) }),
        })
        .returning();
      if (taken) return presentTake(taken);
      const [other] = await tx
        .select()
        .from(reviewTakes)
        .where(eq(reviewTakes.registrationId, registrationId));
      // Put back between the two statements: nobody's, and about to be ours again.
      return other ? presentTake(other) : { by: reviewer, since: takenAt.toISOString() };
    });
  });
}

/** The reviewer goes on to nothing. @throws AppError `unavailable` */
export async function putBack(s: ServiceContext, reviewer: string, now = s.clock()): Promise<void> {
  await withRetry(() =>
    s.db
      .delete(reviewTakes)
      .where(
        or(eq(reviewTakes.reviewer, reviewer), lte(reviewTakes.takenAt, new Date(now - TAKE_MS))),
      )
      .returning({ removal: countRemoval }),
  );
}

/** What counts at `now`. */
export const freshTakes = (s: ServiceContext, now: number) =>
  s.db
    .select()
    .from(reviewTakes)
    .where(gt(reviewTakes.takenAt, new Date(now - TAKE_MS)));
