import { isAPIError } from 'better-auth/api';
import { and, eq, gt, lte } from 'drizzle-orm';
import { isTransient } from '#db/errors.ts';
import { unavailable, withRetry } from '#server/common/with-retry.ts';
import {
  reviewers,
  reviewerSessions,
  reviewerUsedCodes,
  reviewerVerifications,
} from '#db/schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { signedIn, type Accounts } from './reviewers.ts';

/**
 * Signing in and out. Better-auth checks and makes the sessions; what it sees of a request is put together
 * here, so that no cookie that came along decides anything.
 */

export interface SignIn {
  /** For the answer: the session's cookie, or the one of a sign-in that waits for its second factor. */
  cookies: string[];
  secondFactor: boolean;
}

/** What better-auth returns with `returnHeaders`. */
interface Returned<T> {
  headers: Headers;
  response: T;
}

/** A wrong password, code or cookie is an answer; anything else that better-auth throws is not. */
export async function orRefusal<T>(
  work: () => Promise<Returned<T>>,
  refusal: AppError,
): Promise<Returned<T>> {
  try {
    return await work();
  } catch (error) {
    if (!isAPIError(error)) throw isTransient(error) ? unavailable(error) : error;
    const code: unknown = error.body?.code;
    if (code === 'ACCOUNT_TEMPORARILY_LOCKED') throw locked();
    if (code === 'INVALID_TWO_FACTOR_COOKIE' || code === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
      throw new AppError(
        'unauthorized',
        'This sign-in took too long or too many tries. Start again.',
      );
    // A deactivated account gets no session: the same answer as a wrong password.
    if (error.statusCode < 500 || code === 'FAILED_TO_CREATE_SESSION') throw refusal;
    throw unavailable(error);
  }
}

/** How long better-auth locks the second factor of an account after ten wrong codes, seconds. */
const LOCK_SECONDS = 900;
const locked = () =>
  new AppError('rate_limited', 'Too many wrong codes. Try again in 15 minutes.', {
    retryAfter: LOCK_SECONDS,
  });

/**
 * Password first. That the address is unknown, the password wrong or the account deactivated is one
 * answer, which takes the same time.
 * @throws AppError `unauthorized`
 */
export async function signIn(
  a: Accounts,
  { email, password }: { email: string; password: string },
  headers: Headers,
): Promise<SignIn> {
  const address = email.trim().toLowerCase();
  const answer = await orRefusal(
    () =>
      a.auth.api.signInEmail({
        body: { email: address, password },
        headers: onlyBrowser(headers),
        returnHeaders: true,
      }),
    new AppError('unauthorized', 'The address or the password is not right. Try again.'),
  );
  const secondFactor = 'twoFactorRedirect' in answer.response;
  if (!secondFactor) await begun(a, answer.response.user.id, headers);
  return { cookies: answer.headers.getSetCookie(), secondFactor };
}

/**
 * The second step, for the browser whose cookie says that the first one was right within ten minutes.
 * @param code six digits or one of the recovery codes; each is good once
 * @throws AppError `unauthorized`, `rate_limited` (too many wrong codes for this account)
 */
export async function secondFactor(
  a: Accounts,
  code: string,
  headers: Headers,
): Promise<{ cookies: string[] }> {
  const pending = await pendingCookie(a, headers);
  const given = code.replace(/[\s-]/g, '').toLowerCase();
  const digits = /^\d{6}$/.test(given);
  // Before better-auth takes it: that ends the sign-in which waits, and the next code would be given to nothing.
  if (digits && (await wasUsed(a, pending, given)))
    throw new AppError(
      'unauthorized',
      'This code was used already. Take the next one that the app shows.',
    );
  const call = {
    // As they are kept: two groups of five, in lower case.
    body: { code: digits ? given : `${given.slice(0, 5)}-${given.slice(5)}` },
    headers: onlyBrowser(headers, pending),
    returnHeaders: true,
  } as const;
  const answer = await orRefusal(
    () => (digits ? a.auth.api.verifyTOTP(call) : a.auth.api.verifyBackupCode(call)),
    new AppError(
      'unauthorized',
      digits
        ? 'This code is not right. Take the one that the app shows now.'
        : 'This recovery code is not right, or was used before. Each is good once.',
    ),
  );
  const { token, user } = answer.response as { token: string; user: { id: string } };
  if (digits && !(await useCode(a, user.id, given))) {
    // Another sign-in used it meanwhile. Better-auth has no eye for this: its session ends before anybody has its cookie.
    await withRetry(() => a.db.delete(reviewerSessions).where(eq(reviewerSessions.token, token)));
    throw new AppError(
      'unauthorized',
      'This code was used already. Start again, with the next one that the app shows.',
    );
  }
  await begun(a, user.id, headers);
  return { cookies: answer.headers.getSetCookie() };
}

/** A code is right for 90 seconds at most: its own 30, and those before and after; milliseconds. */
export const CODE_MS = 120_000;

/**
 * A code that was read over somebody's shoulder opens nothing (RFC 6238, section 5.2).
 * @returns false where the account has used the code before; of two at once one is the first
 */
export const useCode = (
  a: Pick<Accounts, 'db' | 'clock'>,
  userId: string,
  code: string,
): Promise<boolean> =>
  withRetry(async () => {
    const now = a.clock();
    await a.db
      .delete(reviewerUsedCodes)
      .where(lte(reviewerUsedCodes.usedAt, new Date(now - CODE_MS)));
    const used = await a.db
      .insert(reviewerUsedCodes)
      .values({ userId, code, usedAt: new Date(now) })
      .onConflictDoNothing()
      .returning();
    return used.length > 0;
  });

/** Whether whoever waits with this cookie has used the code before. */
async function wasUsed(a: Accounts, pending: string | null, code: string): Promise<boolean> {
  // What better-auth signed, and finds the account by; a cookie that it did not sign opens nothing later either.
  const identifier = /=([\w-]+)\./.exec(pending ?? '')?.[1] ?? '';
  const used = await withRetry(() =>
    a.db
      .select({ code: reviewerUsedCodes.code })
      .from(reviewerUsedCodes)
      .innerJoin(reviewerVerifications, eq(reviewerVerifications.value, reviewerUsedCodes.userId))
      .where(
        and(
          eq(reviewerVerifications.identifier, identifier),
          eq(reviewerUsedCodes.code, code),
          gt(reviewerUsedCodes.usedAt, new Date(a.clock() - CODE_MS)),
        ),
      ),
  );
  return used.length > 0;
}

/** Whether the first step was done in this browser. Its cookie may have run out all the same. */
export async function waitsForSecondFactor(a: Accounts, headers: Headers): Promise<boolean> {
  return (await pendingCookie(a, headers)) !== null;
}

/** Ends the session in the database. @returns cookies that clear the browser's */
export async function signOut({ auth }: Accounts, headers: Headers): Promise<string[]> {
  const answer = await withRetry(() => auth.api.signOut({ headers, returnHeaders: true }));
  return answer.headers.getSetCookie();
}

/** A session was opened: one that this browser had before is over, whoever put it there. */
async function begun(a: Accounts, id: string, headers: Headers): Promise<void> {
  const before = await signedIn(a, headers);
  await withRetry(async () => {
    if (before)
      await a.db
        .delete(reviewerSessions)
        .where(
          and(eq(reviewerSessions.id, before.sessionId), eq(reviewerSessions.userId, before.id)),
        );
    await a.db
      .update(reviewers)
      .set({ lastSignInAt: new Date(a.clock()) })
      .where(eq(reviewers.id, id));
  });
}

/** Which browser it is, and of its cookies the one that is asked for. */
function onlyBrowser(headers: Headers, cookie: string | null = null): Headers {
  const browser = headers.get('user-agent');
  return new Headers([
    ...(browser === null ? [] : [['user-agent', browser] as [string, string]]),
    ...(cookie === null ? [] : [['cookie', cookie] as [string, string]]),
  ]);
}

/** `name=value` of the cookie of a sign-in that waits for its second factor. */
async function pendingCookie({ auth }: Accounts, headers: Headers): Promise<string | null> {
  const { name } = (await auth.$context).createAuthCookie('two_factor');
  const pairs = (headers.get('cookie') ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`)) ?? null;
}
