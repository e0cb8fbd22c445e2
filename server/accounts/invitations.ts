import { and, eq, gt, isNull } from 'drizzle-orm';
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { reviewerAccounts, reviewerInvitations, reviewers } from '#db/schema.ts';
import { AppError, invalid, parse } from '#server/common/errors.schema.ts';
import { Invite, Join } from './accounts.schema.ts';
import { SYSTEM, type ReviewerRole } from '#server/common/values.schema.ts';
import { recordAction } from '#server/review/audit-log.ts';
import {
  accountOf,
  endAccess,
  hasAccount,
  hashPassword,
  isActiveAdministrator,
  lockAdministrators,
  noAccount,
  openAccount,
  removeSecondFactor,
  type Accounts,
} from './reviewers.ts';

/**
 * Links that are good once: they open an account, or renew the access to one whose password or second
 * factor is lost. Who holds the link needs nothing else, so only its SHA-256 is kept.
 */

const DAY_MS = 86_400_000;
/** How long an invitation can be used, milliseconds. */
const INVITATION_MS = 7 * DAY_MS;
/** How long the link of a first start can be used, milliseconds: it stands in a terminal's history. */
const FIRST_LINK_MS = DAY_MS;

const TOKEN_PATTERN = /^[\w-]{43}$/;
const newToken = () => randomBytes(32).toString('base64url');
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * A link for an address that has no account. An earlier one for it is void.
 * @param invitedBy the address of an administrator, or `system`
 * @returns the token, which is nowhere else
 * @throws AppError `forbidden`, `invalid_body`, `invalid_state` (the address has an account)
 */
export function invite(
  { db, clock }: Pick<Accounts, 'db' | 'clock'>,
  invitedBy: string,
  input: unknown,
): Promise<string> {
  const { email, role } = parse(Invite, input, 'invalid_body');
  const now = clock();
  return withRetry(() =>
    db.transaction(async (tx) => {
      await lockAdministrators(tx, invitedBy);
      if (await accountOf(tx, email)) throw hasAccount(email);
      const token = await keepLink(tx, { email, role, invitedBy }, now, INVITATION_MS);
      await recordAction(
        tx,
        { actor: invitedBy, action: 'reviewer_invited', subject: email, reason: role },
        now,
      );
      return token;
    }),
  );
}

/**
 * A link for an account that is there: whoever opens it sets a new password, the second factor is off
 * and all sessions are over then, not before.
 * @throws AppError `forbidden`, `not_found`, `invalid_state` (deactivated, or one's own account)
 */
export function renewAccess(
  { db, clock }: Pick<Accounts, 'db' | 'clock'>,
  invitedBy: string,
  email: string,
): Promise<string> {
  if (invitedBy === email)
    return Promise.reject(
      // With it, who finds a browser signed in could keep the account.
      new AppError('invalid_state', 'Change your own password on the page of your account.'),
    );
  const now = clock();
  return withRetry(() =>
    db.transaction(async (tx) => {
      await lockAdministrators(tx, invitedBy);
      const account = await accountOf(tx, email);
      if (!account) throw noAccount(email);
      if (account.deactivatedAt)
        throw new AppError(
          'invalid_state',
          `${email} is deactivated. Reactivate the account first.`,
        );
      const { role } = account;
      const token = await keepLink(tx, { email, role, invitedBy }, now, INVITATION_MS);
      await recordAction(tx, { actor: invitedBy, action: 'access_link_made', subject: email }, now);
      return token;
    }),
  );
}

/** Makes the open link for this address void. @throws AppError `forbidden`, `not_found` */
export function withdraw(
  { db, clock }: Accounts,
  { actor, email }: { actor: string; email: string },
): Promise<void> {
  const now = clock();
  return withRetry(() =>
    db.transaction(async (tx) => {
      await lockAdministrators(tx, actor);
      const gone = await tx
        .delete(reviewerInvitations)
        .where(eq(reviewerInvitations.email, email))
        .returning({ email: reviewerInvitations.email });
      if (gone.length === 0)
        throw new AppError(
          'not_found',
          `There is no open link for ${email}. It may have been used.`,
        );
      await recordAction(tx, { actor, action: 'invitation_withdrawn', subject: email }, now);
    }),
  );
}

/**
 * Where there is no active administrator: the link by which the first one opens their account, with an
 * address of their own. Whoever starts the service may see it; an earlier one is void.
 * @returns null where there is an administrator
 */
export function firstLink({ db, clock }: Pick<Accounts, 'db' | 'clock'>): Promise<string | null> {
  const now = clock();
  return withRetry(() =>
    db.transaction(async (tx) => {
      if (await anyAdministrator(tx)) return null;
      const link = { email: null, role: 'administrator', invitedBy: SYSTEM } as const;
      return keepLink(tx, link, now, FIRST_LINK_MS);
    }),
  );
}

export async function anyAdministrator(tx: Db): Promise<boolean> {
  const [found] = await tx
    .select({ id: reviewers.id })
    .from(reviewers)
    .where(isActiveAdministrator)
    .limit(1);
  return found !== undefined;
}

/** One open link for an address. */
async function keepLink(
  tx: Db,
  link: { email: string | null; role: ReviewerRole; invitedBy: string },
  now: number,
  ms: number,
): Promise<string> {
  await tx.delete(reviewerInvitations).where(forSame(link.email));
  const token = newToken();
  await tx.insert(reviewerInvitations).values({
    ...link,
    tokenHash: hashOf(token),
    createdAt: new Date(now),
    expiresAt: new Date(now + ms),
  });
  return token;
}

const forSame = (email: string | null) =>
  email === null ? isNull(reviewerInvitations.email) : eq(reviewerInvitations.email, email);

export interface Invitation {
  /** Null where whoever opens it says their own. */
  email: string | null;
  role: ReviewerRole;
  invitedBy: string;
  expiresAt: string;
  /** It is for an account that is there already. */
  renews: boolean;
}

/** What the link is for; null where it is wrong, used, withdrawn or too old. */
export async function invitation(
  { db, clock }: Accounts,
  token: string,
): Promise<Invitation | null> {
  if (!TOKEN_PATTERN.test(token)) return null;
  return withRetry(async () => {
    const [link] = await db.select().from(reviewerInvitations).where(isOpen(token, clock()));
    if (!link) return null;
    if (link.email === null && (await anyAdministrator(db))) return null;
    const account = link.email === null ? undefined : await accountOf(db, link.email);
    if (account?.deactivatedAt) return null;
    const { email, role, invitedBy } = link;
    return {
      email,
      role: account?.role ?? role,
      invitedBy,
      expiresAt: link.expiresAt.toISOString(),
      renews: account !== undefined,
    };
  });
}

const isOpen = (token: string, now: number) =>
  and(
    eq(reviewerInvitations.tokenHash, hashOf(token)),
    gt(reviewerInvitations.expiresAt, new Date(now)),
  );

/**
 * Uses the link. Its row goes in the transaction that opens the account (or renews the access): of two who
 * use it in the same moment one finds it, and a failure leaves it usable.
 * @returns the address of the account
 * @throws AppError `not_found` (the link is not good), `invalid_body`, `invalid_state` (the address has an account)
 */
export async function join(a: Accounts, token: string, input: unknown): Promise<string> {
  const found = await invitation(a, token);
  if (!found) throw notGood();
  const { name, email: typed, password } = parse(Join, input, 'invalid_body');
  const email = found.email ?? typed;
  if (email === undefined) throw missing('email');
  if (!found.renews && name === undefined) throw missing('name');
  if (password.toLowerCase().includes(email))
    throw invalid('invalid_body', [{ path: 'password', message: 'must not hold your address' }]);
  const passwordHash = await hashPassword(a.auth, password);

  const now = a.clock();
  return withRetry(() =>
    a.db.transaction(async (tx) => {
      const [link] = await tx
        .delete(reviewerInvitations)
        .where(isOpen(token, now))
        .returning({ email: reviewerInvitations.email, role: reviewerInvitations.role });
      if (!link && (await hasPassword(tx, email, passwordHash))) return email;
      if (!link || (link.email === null && (await anyAdministrator(tx)))) throw notGood();
      const account = link.email === null ? undefined : await accountOf(tx, link.email);
      if (account) {
        if (account.deactivatedAt) throw notGood();
        await setPassword(tx, account.id, passwordHash, now);
        await removeSecondFactor(tx, account);
        await endAccess(tx, account);
      } else {
        if (name === undefined) throw missing('name');
        await openAccount(tx, { email, name, passwordHash, role: link.role }, now);
        await tx.delete(reviewerInvitations).where(forSame(email));
        if (link.role === 'administrator')
          await tx.delete(reviewerInvitations).where(forSame(null));
      }
      await recordAction(
        tx,
        { actor: email, action: account ? 'access_renewed' : 'reviewer_joined', subject: email },
        now,
      );
      return email;
    }),
  );
}

/** A hash has a salt of its own: if it is kept, this very call was carried out, and its answer was lost. */
async function hasPassword(tx: Db, email: string, passwordHash: string): Promise<boolean> {
  const found = await tx
    .select({ id: reviewerAccounts.id })
    .from(reviewerAccounts)
    .innerJoin(reviewers, eq(reviewers.id, reviewerAccounts.userId))
    .where(and(eq(reviewers.email, email), eq(reviewerAccounts.password, passwordHash)));
  return found.length > 0;
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

const notGood = () =>
  new AppError('not_found', 'This link is not good any more. Ask an administrator for a new one.');
const missing = (field: string) =>
  invalid('invalid_body', [{ path: field, message: 'must not be empty' }]);
