import { and, eq } from 'drizzle-orm';
import { reviewers, reviewerSessions } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { mapAuthError, type AccountsContext } from './auth.ts';
import { signedIn } from './sessions.ts';
import { useCode, wasCodeUsed } from './used-codes.ts';

/**
 * Signing in and out. better-auth checks passwords and codes and creates the sessions. It gets a request of its own,
 * with only the headers it needs, so that no other cookie of the browser can influence a sign-in.
 */

export interface SignIn {
  /** `Set-Cookie` lines: of the session and the known browser, or of a sign-in that waits for its second factor. */
  cookies: string[];
  secondFactor: boolean;
}

/**
 * The first step. An unknown address, a wrong password and a deactivated account get the same answer in the same
 * time.
 * @throws AppError `unauthorized`
 */
export async function signIn(
  context: AccountsContext,
  { email, password }: { email: string; password: string },
  headers: Headers,
): Promise<SignIn> {
  const answer = await mapAuthError(
    () =>
      context.auth.api.signInEmail({
        body: { email: email.trim().toLowerCase(), password },
        headers: authHeaders(headers),
        returnHeaders: true,
      }),
    new AppError('unauthorized', 'The email address or password is incorrect. Try again.'),
  );
  const secondFactor = 'twoFactorRedirect' in answer.response;
  const cookies = answer.headers.getSetCookie();
  if (!secondFactor) {
    await sessionBegan(context, answer.response.user.id, headers);
    cookies.push(context.browsers.remember(headers, email));
  }
  return { cookies, secondFactor };
}

/**
 * The second step, for the browser whose cookie shows that the first one succeeded in the last ten minutes.
 * @param code six digits, or one of the recovery codes; each is valid once
 * @throws AppError `unauthorized`, `rate_limited` (too many wrong codes for this account)
 */
export async function secondFactor(
  context: AccountsContext,
  code: string,
  headers: Headers,
): Promise<{ cookies: string[] }> {
  const pending = await pendingCookie(context, headers);
  const typed = code.replace(/[\s-]/g, '').toLowerCase();
  const isTotp = /^\d{6}$/.test(typed);
  // Before better-auth accepts it: that would end the pending sign-in, and the next code would find none.
  if (isTotp && (await wasCodeUsed(context, pending, typed)))
    throw new AppError(
      'unauthorized',
      'This code was already used. Enter the next one your app shows.',
    );
  const request = {
    // Recovery codes are stored as two groups of five in lower case.
    body: { code: isTotp ? typed : `${typed.slice(0, 5)}-${typed.slice(5)}` },
    headers: authHeaders(headers, pending),
    returnHeaders: true,
  } as const;
  const answer = await mapAuthError(
    () =>
      isTotp ? context.auth.api.verifyTOTP(request) : context.auth.api.verifyBackupCode(request),
    new AppError(
      'unauthorized',
      isTotp
        ? 'This code is incorrect. Enter the one your app shows now.'
        : 'This recovery code is incorrect or was already used. Each can be used once.',
    ),
  );
  const { token, user } = answer.response as { token: string; user: { id: string; email: string } };
  if (isTotp && !(await useCode(context, user.id, typed))) {
    // Another sign-in used the code in the meantime, which better-auth does not notice. Its session ends here,
    // before anybody gets its cookie.
    await withRetry(() =>
      context.db.delete(reviewerSessions).where(eq(reviewerSessions.token, token)),
    );
    throw new AppError(
      'unauthorized',
      'This code was already used. Sign in again with the next one your app shows.',
    );
  }
  await sessionBegan(context, user.id, headers);
  return {
    cookies: [...answer.headers.getSetCookie(), context.browsers.remember(headers, user.email)],
  };
}

/** Whether this browser has completed the first step. Its cookie may still have expired. */
export async function awaitsSecondFactor(
  context: AccountsContext,
  headers: Headers,
): Promise<boolean> {
  return (await pendingCookie(context, headers)) !== null;
}

/** Ends the session in the database. @returns `Set-Cookie` lines that clear the browser's cookies */
export async function signOut({ auth }: AccountsContext, headers: Headers): Promise<string[]> {
  const answer = await withRetry(() => auth.api.signOut({ headers, returnHeaders: true }));
  return answer.headers.getSetCookie();
}

/** Ends the browser's earlier session, even one planted by somebody else, and records the time of the sign-in. */
async function sessionBegan(context: AccountsContext, id: string, headers: Headers): Promise<void> {
  const before = await signedIn(context, headers);
  await withRetry(async () => {
    if (before)
      await context.db
        .delete(reviewerSessions)
        .where(
          and(eq(reviewerSessions.id, before.sessionId), eq(reviewerSessions.userId, before.id)),
        );
    await context.db
      .update(reviewers)
      .set({ lastSignInAt: new Date(context.clock()) })
      .where(eq(reviewers.id, id));
  });
}

/** The browser's name, and one cookie of the request at most. */
function authHeaders(headers: Headers, cookie: string | null = null): Headers {
  const browser = headers.get('user-agent');
  return new Headers([
    ...(browser === null ? [] : [['user-agent', browser] as [string, string]]),
    ...(cookie === null ? [] : [['cookie', cookie] as [string, string]]),
  ]);
}

/** `name=value` of the cookie of a sign-in that waits for its second factor. */
async function pendingCookie({ auth }: AccountsContext, headers: Headers): Promise<string | null> {
  const { name } = (await auth.$context).createAuthCookie('two_factor');
  const pairs = (headers.get('cookie') ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`)) ?? null;
}
