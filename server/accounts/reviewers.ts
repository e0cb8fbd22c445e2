import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { databaseCode } from '#db/errors.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  reviewerAccounts,
  reviewerInvitations,
  reviewers,
  reviewerSessions,
  reviewerTwoFactors,
  reviewerVerifications,
} from '#db/schema.ts';
import type { Auth } from './auth.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { SYSTEM, type Action, type ReviewerRole } from '#server/common/values.schema.ts';
import { recordAction } from '#server/review/audit-log.ts';

/** Who reviews: accounts, their roles, and whether they may be used. */

/** What the services of accounts get first. */
export interface Accounts {
  readonly db: Db;
  readonly auth: Auth;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

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
export async function signedIn({ auth }: Accounts, headers: Headers): Promise<Reviewer | null> {
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

/** Whether a session that was signed in still is: not ended, not over, its account not deactivated. */
export async function sessionHolds(db: Db, sessionId: string, now: number): Promise<boolean> {
  const [session] = await withRetry(() =>
    db
      .select({ id: reviewerSessions.id })
      .from(reviewerSessions)
      .innerJoin(reviewers, eq(reviewers.id, reviewerSessions.userId))
      .where(
        and(
          eq(reviewerSessions.id, sessionId),
          gt(reviewerSessions.expiresAt, new Date(now)),
          isNull(reviewers.deactivatedAt),
        ),
      ),
  );
  return session !== undefined;
}

export interface NewReviewer {
  /** In lower case. */
  email: string;
  name: string;
  /** Of {@link hashPassword}, which takes too long to be done in a transaction. */
  passwordHash: string;
  role: ReviewerRole;
}

export async function hashPassword(auth: Auth, password: string): Promise<string> {
  const { password: passwords } = await auth.$context;
  return passwords.hash(password);
}

/** Opens an account. @throws AppError `invalid_state` (the address has one) */
export async function openAccount(
  tx: Db,
  { passwordHash, ...reviewer }: NewReviewer,
  now: number,
): Promise<void> {
  const at = { createdAt: new Date(now), updatedAt: new Date(now) };
  const id = randomBytes(16).toString('base64url');
  if (await accountOf(tx, reviewer.email)) throw hasAccount(reviewer.email);
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
    password: passwordHash,
    ...at,
  });
}

export const hasAccount = (email: string) =>
  new AppError('invalid_state', `${email} has an account already.`, {
    issues: [{ path: 'email', message: 'has an account already' }],
  });

export type Account = typeof reviewers.$inferSelect;

/** @param email in lower case */
export async function accountOf(tx: Db, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(reviewers).where(eq(reviewers.email, email));
  return account;
}

/** Those who may invite, set roles and deactivate, now. */
export const isActiveAdministrator = and(
  eq(reviewers.role, 'administrator'),
  isNull(reviewers.deactivatedAt),
);

export interface ListedReviewer {
  name: string;
  email: string;
  role: ReviewerRole;
  twoFactorEnabled: boolean;
  lastSignInAt: string | null;
  deactivatedAt: string | null;
}

export interface OpenLink {
  email: string;
  role: ReviewerRole;
  /** Of a link for an account that is there already: it renews the access to it. */
  renews: boolean;
  invitedBy: string;
  expiresAt: string;
}

/** All accounts, and the links that nobody has used yet, by address. Not the link of the first start: it is nobody's. */
export async function list({
  db,
  clock,
}: Pick<Accounts, 'db' | 'clock'>): Promise<{ reviewers: ListedReviewer[]; links: OpenLink[] }> {
  const accounts = await withRetry(() => db.select().from(reviewers).orderBy(asc(reviewers.email)));
  const links = await withRetry(() =>
    db
      .select()
      .from(reviewerInvitations)
      .where(gt(reviewerInvitations.expiresAt, new Date(clock())))
      .orderBy(asc(reviewerInvitations.email)),
  );
  const known = new Set(accounts.map(({ email }) => email));
  return {
    reviewers: accounts.map(({ name, email, role, twoFactorEnabled, ...account }) => ({
      name,
      email,
      role,
      twoFactorEnabled,
      lastSignInAt: account.lastSignInAt?.toISOString() ?? null,
      deactivatedAt: account.deactivatedAt?.toISOString() ?? null,
    })),
    links: links.flatMap(({ email, role, invitedBy, expiresAt }) =>
      email === null
        ? []
        : [
            {
              email,
              role,
              renews: known.has(email),
              invitedBy,
              expiresAt: expiresAt.toISOString(),
            },
          ],
    ),
  };
}

/** What reviewers call each other, by address: the name, with the address where two have the same. */
export async function names({ db }: Pick<Accounts, 'db'>): Promise<Record<string, string>> {
  const accounts = await withRetry(() =>
    db.select({ email: reviewers.email, name: reviewers.name }).from(reviewers),
  );
  const alike = (name: string) =>
    accounts.filter((other) => other.name.toLowerCase() === name.toLowerCase());
  return Object.fromEntries(
    accounts.map(({ email, name }) => [
      email,
      alike(name).length > 1 ? `${name} (${email})` : name,
    ]),
  );
}

/** Who acts, and on whose account. */
interface Change {
  /** The address of an administrator. */
  actor: string;
  /** The address of the account. */
  email: string;
}

/** @throws AppError `not_found`, `forbidden`, `invalid_state` (nobody would administer any more) */
export function setRole(
  a: Accounts,
  { role, ...change }: Change & { role: ReviewerRole },
): Promise<void> {
  return changeAccount(a, change, {
    action: 'role_changed',
    reason: role,
    set: (account) => (account.role === role ? null : { role }),
  });
}

/** Ends every session at once. @throws AppError as {@link setRole}; `invalid_state` for one's own account */
export function deactivate(a: Accounts, change: Change): Promise<void> {
  if (change.actor === change.email)
    return Promise.reject(
      new AppError('invalid_state', 'You cannot deactivate your own account. Ask another one.'),
    );
  return changeAccount(a, change, {
    action: 'reviewer_deactivated',
    set: (account, now) => (account.deactivatedAt ? null : { deactivatedAt: new Date(now) }),
  });
}

/** @throws AppError as {@link setRole} */
export function reactivate(a: Accounts, change: Change): Promise<void> {
  return changeAccount(a, change, {
    action: 'reviewer_reactivated',
    set: (account) => (account.deactivatedAt ? { deactivatedAt: null } : null),
  });
}

/**
 * Locks the rows of all active administrators, always in the same order: of two who demote each other in
 * the same moment the second is no administrator any more when it is looked, whatever the engine.
 * @param actor one of them, or `system`
 * @throws AppError `forbidden`
 */
export async function lockAdministrators(tx: Db, actor: string): Promise<{ email: string }[]> {
  const administrators = await tx
    .select({ email: reviewers.email })
    .from(reviewers)
    .where(isActiveAdministrator)
    .orderBy(asc(reviewers.id))
    .for('update');
  if (actor !== SYSTEM && !administrators.some(({ email }) => email === actor))
    throw new AppError('forbidden', 'Only administrators may do this.');
  return administrators;
}

/**
 * One change of an account with its row in the history.
 * @param change.set what becomes different; null where it is so already
 */
function changeAccount(
  { db, clock }: Accounts,
  { actor, email }: Change,
  change: {
    action: Action;
    reason?: string;
    set: (account: Account, now: number) => Partial<Account> | null;
  },
): Promise<void> {
  const now = clock();
  return withRetry(() =>
    db.transaction(async (tx) => {
      const administrators = await lockAdministrators(tx, actor);
      const account = await accountOf(tx, email);
      if (!account) throw noAccount(email);
      const set = change.set(account, now);
      if (!set) return;
      const after = { ...account, ...set };
      const administers = after.role === 'administrator' && !after.deactivatedAt;
      if (!administers && administrators.every((administrator) => administrator.email === email))
        throw new AppError(
          'invalid_state',
          'This is the last active administrator. Make somebody else one first.',
        );
      await tx
        .update(reviewers)
        .set({ ...set, updatedAt: new Date(now) })
        .where(eq(reviewers.id, account.id));
      if ('deactivatedAt' in set) await endAccess(tx, account);
      // Links that they made: with one of them they would be back.
      if (!administers)
        await tx.delete(reviewerInvitations).where(eq(reviewerInvitations.invitedBy, email));
      await recordAction(
        tx,
        { actor, action: change.action, subject: email, reason: change.reason },
        now,
      );
    }),
  );
}

export const noAccount = (email: string) =>
  new AppError('not_found', `There is no account of ${email}.`);

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
