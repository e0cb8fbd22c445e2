import { and, eq, gt, lte } from 'drizzle-orm';
import { reviewerUsedCodes, reviewerVerifications } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { AccountsContext } from './auth.ts';

/** Each code of a second factor can be used once, so one read over a shoulder is worthless (RFC 6238, section 5.2). */

/** How long used codes are stored (ms). A code is valid for 90 seconds: its own 30, and those before and after. */
export const CODE_MS = 120_000;

/** @returns false if the account has used the code before; of two attempts at once, one is first */
export const useCode = (
  { db, clock }: Pick<AccountsContext, 'db' | 'clock'>,
  userId: string,
  code: string,
): Promise<boolean> =>
  withRetry(async () => {
    const now = clock();
    await db
      .delete(reviewerUsedCodes)
      .where(lte(reviewerUsedCodes.usedAt, new Date(now - CODE_MS)));
    const used = await db
      .insert(reviewerUsedCodes)
      .values({ userId, code, usedAt: new Date(now) })
      .onConflictDoNothing()
      .returning();
    return used.length > 0;
  });

/**
 * Whether the account of a pending sign-in has used the code before.
 * @param cookie of the pending sign-in
 */
export async function wasCodeUsed(
  { db, clock }: Pick<AccountsContext, 'db' | 'clock'>,
  cookie: string | null,
  code: string,
): Promise<boolean> {
  // By this part better-auth finds the account. A cookie that it did not sign is refused later anyway.
  const identifier = /=([\w-]+)\./.exec(cookie ?? '')?.[1] ?? '';
  const used = await withRetry(() =>
    db
      .select({ code: reviewerUsedCodes.code })
      .from(reviewerUsedCodes)
      .innerJoin(reviewerVerifications, eq(reviewerVerifications.value, reviewerUsedCodes.userId))
      .where(
        and(
          eq(reviewerVerifications.identifier, identifier),
          eq(reviewerUsedCodes.code, code),
          gt(reviewerUsedCodes.usedAt, new Date(clock() - CODE_MS)),
        ),
      ),
  );
  return used.length > 0;
}
