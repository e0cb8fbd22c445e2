import { eq } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { databaseCode, withRetry } from '../../db/retry.ts';
import { reviewerAccounts, reviewers } from '../../db/schema.ts';
import type { Auth } from '../auth.ts';
import { AppError } from '../schemas/errors.ts';
import type { ReviewerRole } from '../schemas/values.ts';

/** Who reviews: accounts, and who is signed in. */

export interface Reviewer {
  id: string;
  name: string;
  /** In lower case; what the history calls them. */
  email: string;
  role: ReviewerRole;
  twoFactorEnabled: boolean;
  /** Of the session that asks. */
  sessionId: string;
}

/** The reviewer whose session the cookie names; null where there is none, it has ended, or the account is deactivated. */
export async function signedIn(auth: Auth, headers: Headers): Promise<Reviewer | null> {
  // Most requests are not a reviewer's: they cost no query.
  if (!headers.has('cookie')) return null;
  const found = await withRetry(() => auth.api.getSession({ headers }));
  if (!found || found.user.deactivatedAt) return null;
  const { id, name, email, role, twoFactorEnabled } = found.user;
  return {
    id,
    name,
    email,
    role: role,
    twoFactorEnabled: twoFactorEnabled === true,
    sessionId: found.session.id,
  };
}

export interface NewReviewer {
  /** In lower case. */
  email: string;
  name: string;
  password: string;
  role: ReviewerRole;
}

/** Opens an account. @throws AppError `invalid_state` (the address has one) */
export async function openAccount(
  tx: Db,
  auth: Auth,
  { password, ...reviewer }: NewReviewer,
  now: number,
): Promise<void> {
  const { password: passwords } = await auth.$context;
  const hash = await passwords.hash(password);
  const at = { createdAt: new Date(now), updatedAt: new Date(now) };
  const id = randomBytes(16).toString('base64url');
  const [taken] = await tx
    .select({ id: reviewers.id })
    .from(reviewers)
    .where(eq(reviewers.email, reviewer.email));
  if (taken) throw hasAccount(reviewer.email);
  try {
    await tx.insert(reviewers).values({ id, ...reviewer, emailVerified: true, ...at });
  } catch (error) {
    if (databaseCode(error) === '23505') throw hasAccount(reviewer.email);
    throw error;
  }
  await tx.insert(reviewerAccounts).values({
    id: randomBytes(16).toString('base64url'),
    accountId: id,
    providerId: 'credential',
    userId: id,
    password: hash,
    ...at,
  });
}

const hasAccount = (email: string) =>
  new AppError('invalid_state', `${email} has an account already.`);

export interface SignIn {
  /** For the answer: the session's cookie, or the one of a sign-in that waits for its second factor. */
  cookies: string[];
  secondFactor: boolean;
}

/**
 * Password first. That the address is unknown, the password wrong or the account deactivated is one
 * answer, which takes the same time.
 * @throws AppError `unauthorized`
 */
export async function signIn(
  auth: Auth,
  { email, password }: { email: string; password: string },
  headers: Headers,
): Promise<SignIn> {
  const response = await auth.api.signInEmail({
    body: { email: email.trim().toLowerCase(), password },
    headers,
    asResponse: true,
  });
  if (response.status >= 500) throw new Error(`sign-in failed with ${response.status}`);
  if (!response.ok)
    throw new AppError('unauthorized', 'The address or the password is not right. Try again.');
  const answer = (await response.json()) as { twoFactorRedirect?: boolean };
  return {
    cookies: response.headers.getSetCookie(),
    secondFactor: answer.twoFactorRedirect === true,
  };
}
