import { eq } from 'drizzle-orm';
import { reviewerAccounts, reviewers, reviewerSessions } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { inTransaction, withRetry } from '#server/common/with-retry.ts';
import { hashPassword, passwordContainsEmail, setPassword } from './account.ts';
import type { ChangePassword, Rename } from './accounts.schema.ts';
import { mapAuthError, type AccountsContext, type Reviewer } from './auth.ts';
import { isOtherSession } from './sessions.ts';
import { useCode } from './used-codes.ts';

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
  await inTransaction(context.db, async (tx) => {
    await setPassword(tx, own.id, hash, context.clock());
    await tx.delete(reviewerSessions).where(isOtherSession(own));
  });
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

/*
 * A reviewer's own second factor. `headers` are those of the request: its session is the one that better-auth acts
 * for.
 */

/**
 * Creates a secret. It counts once a first code has shown that the app has it.
 * @returns the `otpauth:` address for an authenticator app
 * @throws AppError `unauthorized` (wrong password), `invalid_state` (the second factor is already on)
 */
export async function beginSecondFactor(
  { auth }: AccountsContext,
  reviewer: Reviewer,
  password: string,
  headers: Headers,
): Promise<{ uri: string }> {
  if (reviewer.twoFactorEnabled)
    throw new AppError('invalid_state', 'The second factor is already on. Turn it off first.');
  const { response } = await mapAuthError(
    () => auth.api.enableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  if (response.method !== 'totp') throw new Error('better-auth set up another second factor');
  return { uri: response.totpURI };
}

/**
 * Turns it on. The session gets a new cookie.
 * @returns the recovery codes, each valid once; they are not shown again
 * @throws AppError `unauthorized` (wrong code), `invalid_state` (it is already on)
 */
export async function confirmSecondFactor(
  context: AccountsContext,
  own: Reviewer,
  code: string,
  headers: Headers,
): Promise<{ cookies: string[]; recoveryCodes: string[] }> {
  const { auth } = context;
  const digits = code.replace(/\s/g, '');
  // A code alone must not show the recovery codes again: that takes the password.
  if (own.twoFactorEnabled) throw new AppError('invalid_state', 'The second factor is already on.');
  const answer = await mapAuthError(
    () => auth.api.verifyTOTP({ body: { code: digits }, headers, returnHeaders: true }),
    new AppError('unauthorized', 'This code is incorrect. Enter the one your app shows now.', {
      issues: [{ path: 'code', message: 'is incorrect' }],
    }),
  );
  await useCode(context, own.id, digits);
  const { backupCodes } = await auth.api.viewBackupCodes({ body: { userId: own.id } });
  return { cookies: answer.headers.getSetCookie(), recoveryCodes: backupCodes };
}

/** Replaces the recovery codes; the old ones stop working. @throws AppError `unauthorized` (wrong password) */
export async function newRecoveryCodes(
  { auth }: AccountsContext,
  password: string,
  headers: Headers,
): Promise<string[]> {
  const { response } = await mapAuthError(
    () => auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  return response.backupCodes;
}

/** Turns it off. @returns the new cookie of the session @throws AppError `unauthorized` (wrong password) */
export async function endSecondFactor(
  { auth }: AccountsContext,
  password: string,
  headers: Headers,
): Promise<string[]> {
  const answer = await mapAuthError(
    () => auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  return answer.headers.getSetCookie();
}
