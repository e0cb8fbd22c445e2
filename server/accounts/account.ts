import { and, eq, isNull } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { databaseCode } from '#db/connection/errors.ts';
import {
  reviewerAccounts,
  reviewerInvitations,
  reviewers,
  reviewerSessions,
  reviewerTwoFactors,
  reviewerVerifications,
} from '#db/schema/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { Auth } from './auth.ts';

/** One account, in a transaction of the caller. */

export type Account = typeof reviewers.$inferSelect;

/** @param email in lower case */
export async function accountOf(tx: Db, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(reviewers).where(eq(reviewers.email, email));
  return account;
}

/** A condition on `reviewers`: who may invite, set roles and deactivate. */
export const isActiveAdministrator = and(
  eq(reviewers.role, 'administrator'),
  isNull(reviewers.deactivatedAt),
);

/** Takes too long for a transaction: call it before one. */
export async function hashPassword(auth: Auth, password: string): Promise<string> {
  const { password: passwords } = await auth.$context;
  return passwords.hash(password);
}

export interface NewReviewer {
  /** In lower case. */
  email: string;
  name: string;
  /** From {@link hashPassword}. */
  passwordHash: string;
  role: ReviewerRole;
}

/** @throws AppError `invalid_state` if the address already has an account */
export async function createAccount(
  tx: Db,
  { passwordHash, ...reviewer }: NewReviewer,
  now: number,
): Promise<void> {
  const at = { createdAt: new Date(now), updatedAt: new Date(now) };
  const id = randomBytes(16).toString('base64url');
  if (await accountOf(tx, reviewer.email)) throw accountExists(reviewer.email);
  try {
    await tx.insert(reviewers).values({ id, ...reviewer, emailVerified: true, ...at });
  } catch (error) {
    if (databaseCode(error) === '23505') throw accountExists(reviewer.email);
    throw error;
  }
  await tx.insert(reviewerAccounts).values({
    id: randomBytes(16).toString('base64url'),
    accountId: id,
    providerId: 'credential',
    userId: id,
    password: passwordHash,
    ...at,
  });
}

export async function setPassword(
  tx: Db,
  reviewerId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  await tx
    .update(reviewerAccounts)
    .set({ password: passwordHash, updatedAt: new Date(now) })
    .where(eq(reviewerAccounts.userId, reviewerId));
}

/** Ends all sessions, sign-ins that wait for a second factor, and links for this account. */
export async function endAccess(
  tx: Db,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  await tx.delete(reviewerSessions).where(eq(reviewerSessions.userId, id));
  await tx.delete(reviewerVerifications).where(eq(reviewerVerifications.value, id));
  await tx.delete(reviewerInvitations).where(eq(reviewerInvitations.email, email));
}

/** Turns the second factor off. */
export async function removeSecondFactor(tx: Db, { id }: Pick<Account, 'id'>): Promise<void> {
  await tx.delete(reviewerTwoFactors).where(eq(reviewerTwoFactors.userId, id));
  await tx.update(reviewers).set({ twoFactorEnabled: false }).where(eq(reviewers.id, id));
}

export const accountExists = (email: string) =>
  new AppError(
    'invalid_state',
    `${email} already has an account. An administrator can create a new access link for it.`,
    { issues: [{ path: 'email', message: 'already has an account' }] },
  );

export const noAccount = (email: string) => new AppError('not_found', `${email} has no account.`);

/** @param path the field of the password */
export const passwordContainsEmail = (path: string) =>
  invalid('invalid_body', [{ path, message: 'must not contain your email address' }]);
