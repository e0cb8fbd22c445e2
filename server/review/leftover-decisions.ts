import { and, eq, lte } from 'drizzle-orm';
import { registrations, reviewDecisions } from '#db/schema/index.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { decide } from './decisions.ts';
import type { ReviewContext } from './rows.ts';

/** Why a registration was accepted, where nobody was asked. */
const FROM_BEFORE = 'Accepted in the release before, which asked for no reason.';

/**
 * Servers of the release before store a decision, and carry it out five seconds later. One that ends in between, or runs
 * beside this one, leaves it: it was acknowledged, so it is carried out here. Goes with the table in the next release.
 * @throws AppError `unavailable`
 */
export async function carryOutLeftover(
  context: ReviewContext,
  now = context.clock(),
): Promise<void> {
  const { db, log } = context;
  const due = await withRetry(() =>
    db
      .select({ decision: reviewDecisions, note: registrations.paymentNote })
      .from(reviewDecisions)
      .innerJoin(registrations, eq(registrations.id, reviewDecisions.registrationId))
      .where(lte(reviewDecisions.effectiveAt, new Date(now))),
  );
  for (const { decision: row, note } of due) {
    const { registrationId, reviewer, decision, reason, rev } = row;
    const isThis = and(
      eq(reviewDecisions.registrationId, registrationId),
      eq(reviewDecisions.madeAt, row.madeAt),
    );
    try {
      await decide(
        context,
        {
          ...{ note, reviewer, decision, rev: rev ?? undefined },
          // That release asked neither for a reason to accept, nor about notices.
          reason: reason ?? (decision === 'accept' ? FROM_BEFORE : undefined),
          despiteNotices: true,
        },
        now,
        {
          async inTransaction(tx) {
            // Whoever deletes the row carries it out.
            const [own] = await tx.delete(reviewDecisions).where(isThis).returning();
            if (!own) throw new AppError('already_decided', 'Another server has carried it out.');
          },
        },
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'unavailable') throw error;
      // The registration no longer allows it. Not the message, which names reviewers and their reasons.
      log.warn({ decision, why: error.code }, 'dropped a decision');
      await withRetry(() => db.delete(reviewDecisions).where(isThis));
    }
  }
}
