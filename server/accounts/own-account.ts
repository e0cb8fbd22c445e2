import { eq } from 'drizzle-orm';
import { reviewerAccounts, reviewers, reviewerSessions } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { hashPassword, passwordContainsEmail, setPassword } from './account.ts';
import type { ChangePassword, Rename } from './accounts.schema.ts';
import type { AccountsContext, Reviewer } from './context.ts';
import { isOtherSession } from './sessions.ts';

/** What reviewers change about their own account. */

export async function rename(
  { db, clock }: AccountsContext,
  own: Reviewer,
  { name }: Rename,
): Promise<void> {
  await withRetry(() =>
    db
      .update(reviewers)
      .set({ name, updatedAt: new Date(clock()) })
      .where(eq(reviewers.id, own.id)),
  );
}

/**
 * Also ends every other session, in case somebody else knew the old password.
 * @throws AppError `unauthorized` (the current password is wrong), `invalid_body`
 */
export async function changePassword(
  context: AccountsContext,
  own: Reviewer,
  { password, newPassword }: ChangePassword,
): Promise<void> {
  if (newPassword.toLowerCase().includes(own.email)) throw passwordContainsEmail('newPassword');
  await requirePassword(context, own, password);
  const hash = await hashPassword(context.auth, newPassword);
  await withRetry(() =>
    context.db.transaction(async (tx) => {
      await setPassword(tx, own.id, hash, context.clock());
      await tx.delete(reviewerSessions).where(isOtherSession(own));
    }),
  );
}

async function requirePassword(
  { db, auth }: AccountsContext,
  own: Reviewer,
  password: string,
): Promise<void> {
  const [stored] = await withRetry(() =>
    db
      .select({ hash: reviewerAccounts.password })
      .from(reviewerAccounts)
      .where(eq(reviewerAccounts.userId, own.id)),
  );
  const { password: passwords } = await auth.$context;
  if (!stored?.hash || !(await passwords.verify({ hash: stored.hash, password })))
    throw wrongPassword();
}

/** Names the field, where the form shows it. */
export const wrongPassword = () =>
  new AppError('unauthorized', 'Your password is incorrect. Try again.', {
    issues: [{ path: 'password', message: 'is incorrect' }],
  });
