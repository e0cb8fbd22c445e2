import { AppError } from '#server/common/errors.schema.ts';
import { mapAuthError } from './auth-error.ts';
import type { AccountsContext, Reviewer } from './context.ts';
import { wrongPassword } from './own-account.ts';
import { useCode } from './used-codes.ts';

/**
 * A reviewer's own second factor. `headers` are those of the request: its session is the one that better-auth acts
 * for.
 */

export interface SecondFactorSetup {
  /** The `otpauth:` address for an authenticator app. */
  uri: string;
}

/**
 * Creates a secret. It counts once a first code has shown that the app has it.
 * @throws AppError `unauthorized` (wrong password), `invalid_state` (the second factor is already on)
 */
export async function beginSecondFactor(
  { auth }: AccountsContext,
  reviewer: Reviewer,
  password: string,
  headers: Headers,
): Promise<SecondFactorSetup> {
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
