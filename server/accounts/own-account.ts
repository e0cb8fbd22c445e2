import { and, desc, eq, gt, ne } from 'drizzle-orm';
import { withRetry } from '#server/common/with-retry.ts';
import { reviewerAccounts, reviewers, reviewerSessions } from '#db/schema.ts';
import { AppError, invalid, parse } from '#server/common/errors.schema.ts';
import { ChangePassword, Rename } from './accounts.schema.ts';
import { setPassword } from './invitations.ts';
import { hashPassword, type Accounts, type Reviewer } from './reviewers.ts';
import { orRefusal, useCode } from './sign-in.ts';

/** What reviewers do with their own account: name, password, second factor, sessions. */

type Own = Pick<Reviewer, 'id' | 'email' | 'sessionId'>;

/** @throws AppError `invalid_body` */
export async function rename({ db, clock }: Accounts, own: Own, input: unknown): Promise<void> {
  const { name } = parse(Rename, input, 'invalid_body');
  await withRetry(() =>
    db
      .update(reviewers)
      .set({ name, updatedAt: new Date(clock()) })
      .where(eq(reviewers.id, own.id)),
  );
}

/**
 * Ends the other sessions: whoever else knew the password is out.
 * @throws AppError `unauthorized` (the present one is not right), `invalid_body`
 */
export async function changePassword(a: Accounts, own: Own, input: unknown): Promise<void> {
  const { password, newPassword } = parse(ChangePassword, input, 'invalid_body');
  if (newPassword.toLowerCase().includes(own.email))
    throw invalid('invalid_body', [{ path: 'newPassword', message: 'must not hold your address' }]);
  await requirePassword(a, own, password);
  const hash = await hashPassword(a.auth, newPassword);
  await withRetry(() =>
    a.db.transaction(async (tx) => {
      await setPassword(tx, own.id, hash, a.clock());
      await tx.delete(reviewerSessions).where(othersOf(own));
    }),
  );
}

async function requirePassword({ db, auth }: Accounts, own: Own, password: string): Promise<void> {
  const [kept] = await withRetry(() =>
    db
      .select({ hash: reviewerAccounts.password })
      .from(reviewerAccounts)
      .where(eq(reviewerAccounts.userId, own.id)),
  );
  const { password: passwords } = await auth.$context;
  if (!kept?.hash || !(await passwords.verify({ hash: kept.hash, password })))
    throw wrongPassword();
}

/** Names the field, so that the form says it there. */
const wrongPassword = () =>
  new AppError('unauthorized', 'Your password is not right. Try again.', {
    issues: [{ path: 'password', message: 'is not right' }],
  });

export interface SecondFactorSetup {
  /** For an authenticator app: an otpauth: address. */
  uri: string;
}

/**
 * Makes a secret, which counts once a first code has shown that the app has it.
 * @param headers those of the request: its session is the one that is asked about
 * @throws AppError `unauthorized` (wrong password), `invalid_state` (it is on already)
 */
export async function beginSecondFactor(
  { auth }: Accounts,
  reviewer: Pick<Reviewer, 'twoFactorEnabled'>,
  password: string,
  headers: Headers,
): Promise<SecondFactorSetup> {
  if (reviewer.twoFactorEnabled)
    throw new AppError('invalid_state', 'The second factor is on already. Turn it off first.');
  const { response } = await orRefusal(
    () => auth.api.enableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  if (response.method !== 'totp') throw new Error('better-auth set up another second factor');
  return { uri: response.totpURI };
}

/**
 * Turns it on. The session gets a new cookie.
 * @returns the recovery codes, each good once; they are not shown again
 * @throws AppError `unauthorized` (wrong code), `invalid_state` (it is on already)
 */
export async function confirmSecondFactor(
  a: Accounts,
  own: Own & Pick<Reviewer, 'twoFactorEnabled'>,
  code: string,
  headers: Headers,
): Promise<{ cookies: string[]; recoveryCodes: string[] }> {
  const { auth } = a;
  const given = code.replace(/\s/g, '');
  // Else a code alone would show the recovery codes again, which takes the password.
  if (own.twoFactorEnabled) throw new AppError('invalid_state', 'The second factor is on already.');
  const answer = await orRefusal(
    () =>
      auth.api.verifyTOTP({
        body: { code: given },
        headers,
        returnHeaders: true,
      }),
    new AppError('unauthorized', 'This code is not right. Take the one that the app shows now.', {
      issues: [{ path: 'code', message: 'is not right' }],
    }),
  );
  await useCode(a, own.id, given);
  const { backupCodes } = await auth.api.viewBackupCodes({ body: { userId: own.id } });
  return { cookies: answer.headers.getSetCookie(), recoveryCodes: backupCodes };
}

/** New ones; the old ones are void. @throws AppError `unauthorized` (wrong password) */
export async function newRecoveryCodes(
  { auth }: Accounts,
  password: string,
  headers: Headers,
): Promise<string[]> {
  const { response } = await orRefusal(
    () => auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  return response.backupCodes;
}

/** The session gets a new cookie. @throws AppError `unauthorized` (wrong password) */
export async function endSecondFactor(
  { auth }: Accounts,
  password: string,
  headers: Headers,
): Promise<string[]> {
  const answer = await orRefusal(
    () => auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
    wrongPassword(),
  );
  return answer.headers.getSetCookie();
}

export interface Session {
  id: string;
  /** "Firefox on Linux" */
  device: string;
  since: string;
  expiresAt: string;
  /** The one that asks. */
  present: boolean;
}

/** Where they are signed in, the newest first. */
export async function sessions({ db, clock }: Accounts, own: Own): Promise<Session[]> {
  const rows = await withRetry(() =>
    db
      .select()
      .from(reviewerSessions)
      .where(
        and(eq(reviewerSessions.userId, own.id), gt(reviewerSessions.expiresAt, new Date(clock()))),
      )
      .orderBy(desc(reviewerSessions.createdAt)),
  );
  return rows.map(({ id, userAgent, createdAt, expiresAt }) => ({
    id,
    device: userAgent ?? 'Another browser',
    since: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    present: id === own.sessionId,
  }));
}

/** Only one of their own; one that is over already is no error. */
export async function endSession({ db }: Accounts, own: Own, id: string): Promise<void> {
  await withRetry(() =>
    db
      .delete(reviewerSessions)
      .where(and(eq(reviewerSessions.id, id), eq(reviewerSessions.userId, own.id))),
  );
}

/** All but the one that asks. */
export async function endOtherSessions({ db }: Accounts, own: Own): Promise<void> {
  await withRetry(() => db.delete(reviewerSessions).where(othersOf(own)));
}

const othersOf = (own: Own) =>
  and(eq(reviewerSessions.userId, own.id), ne(reviewerSessions.id, own.sessionId));
