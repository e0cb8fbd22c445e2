import { and, eq, gt, lte, or } from 'drizzle-orm';
import { withRetry } from '#server/common/with-retry.ts';
import { countRemoval, reviewTakes } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { registrationOf } from './decisions.ts';

/**
 * Who has what open. Presence, not a lock: it tells reviewers of each other, and keeps nobody from
 * deciding.
 */

/** A take that was not renewed for this long counts for nothing, milliseconds. */
export const TAKE_MS = 10 * 60_000;

export type TakeRow = typeof reviewTakes.$inferSelect;

export interface Take {
  /** The reviewer's address. */
  by: string;
}

export const presentTake = ({ reviewer }: Pick<TakeRow, 'reviewer'>): Take => ({ by: reviewer });

/**
 * The reviewer has a registration open, in one of any number of tabs; to take it again renews it. Who has
 * it already keeps it, unless it is taken `over`.
 * @returns who has it now
 * @throws AppError `not_found`, `unavailable`
 */
export async function take(
  s: ServiceContext,
  { note, reviewer, over = false }: { note: string; reviewer: string; over?: boolean },
  now = s.clock(),
): Promise<Take> {
  const takenAt = new Date(now);
  const free = or(
    eq(reviewTakes.reviewer, reviewer),
    lte(reviewTakes.takenAt, new Date(now - TAKE_MS)),
  );
  return withRetry(async () => {
    const { id: registrationId } = await registrationOf(s.db, note);
    const [taken] = await s.db
      .insert(reviewTakes)
      .values({ registrationId, reviewer, takenAt })
      .onConflictDoUpdate({
        target: reviewTakes.registrationId,
        set: { reviewer, takenAt },
        ...(!over && free && { setWhere: free }),
      })
      .returning();
    if (taken) return presentTake(taken);
    const [other] = await s.db
      .select()
      .from(reviewTakes)
      .where(eq(reviewTakes.registrationId, registrationId));
    // Put back between the two statements: nobody's, and about to be ours again.
    return presentTake(other ?? { reviewer });
  });
}

/**
 * A page of the reviewer goes on from this one; another tab that has it open takes it again. What nobody
 * renewed goes as well.
 * @throws AppError `not_found`, `unavailable`
 */
export async function putBack(
  s: ServiceContext,
  { note, reviewer }: { note: string; reviewer: string },
  now = s.clock(),
): Promise<void> {
  await withRetry(async () => {
    const { id } = await registrationOf(s.db, note);
    await s.db
      .delete(reviewTakes)
      .where(
        or(
          and(eq(reviewTakes.registrationId, id), eq(reviewTakes.reviewer, reviewer)),
          lte(reviewTakes.takenAt, new Date(now - TAKE_MS)),
        ),
      )
      .returning({ removal: countRemoval });
  });
}

/** What counts at `now`. */
export const freshTakes = (s: ServiceContext, now: number) =>
  s.db
    .select()
    .from(reviewTakes)
    .where(gt(reviewTakes.takenAt, new Date(now - TAKE_MS)));
