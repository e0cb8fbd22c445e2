import { and, eq, gt, isNull } from 'drizzle-orm';
import { createHash, randomBytes } from 'node:crypto';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { reviewerAccounts, reviewerInvitations, reviewers } from '#db/schema/index.ts';
import { recordAction } from '#server/audit/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { inTransaction, withRetry } from '#server/common/with-retry.ts';
import {
  accountExists,
  accountOf,
  createAccount,
  endAccess,
  hashPassword,
  isActiveAdministrator,
  noAccount,
  passwordContainsEmail,
  removeSecondFactor,
  setPassword,
} from './account.ts';
import type { Invite, Join } from './accounts.schema.ts';
import type { AccountsContext } from './auth.ts';
import { lockAdministrators, type AccountChange } from './roles.ts';

/**
 * Links that create an account, or renew the access to one whose password or second factor is lost: making and using
 * them. Each can be used once. Having the link is enough to use it, so only its SHA-256 is stored.
 */

/** How long an invitation is valid, milliseconds. */
const INVITATION_MS = 7 * 86_400_000;

type LinkContext = Pick<AccountsContext, 'db' | 'clock'>;

/**
 * Creates a link for an address that has no account. It replaces an earlier one.
 * @param invitedBy the address of an administrator, or `system`
 * @returns the token, which is stored nowhere
 * @throws AppError `forbidden`, `invalid_state` (the address has an account)
 */
export async function invite(
  { db, clock }: LinkContext,
  invitedBy: string,
  { email, role }: Invite,
): Promise<string> {
  const now = clock();
  return inTransaction(db, async (tx) => {
    await lockAdministrators(tx, invitedBy);
    if (await accountOf(tx, email)) throw accountExists(email);
    const token = await createLink(tx, { email, role, invitedBy }, now);
    await recordAction(
      tx,
      { actor: invitedBy, action: 'reviewer_invited', subject: email, reason: role },
      now,
    );
    return token;
  });
}

/**
 * Creates a link for an existing account. Using it sets a new password, turns the second factor off and ends all
 * sessions; until then nothing changes.
 * @throws AppError `forbidden`, `not_found`, `invalid_state` (deactivated, or one's own account)
 */
export async function renewAccess(
  { db, clock }: LinkContext,
  invitedBy: string,
  email: string,
): Promise<string> {
  // Otherwise somebody who finds a signed-in browser could take over the account.
  if (invitedBy === email)
    throw new AppError('invalid_state', 'Change your own password on your account page.');
  const now = clock();
  return inTransaction(db, async (tx) => {
    await lockAdministrators(tx, invitedBy);
    const account = await accountOf(tx, email);
    if (!account) throw noAccount(email);
    if (account.deactivatedAt)
      throw new AppError('invalid_state', `${email} is deactivated. Reactivate the account first.`);
    const { role } = account;
    const token = await createLink(tx, { email, role, invitedBy }, now);
    await recordAction(tx, { actor: invitedBy, action: 'access_link_made', subject: email }, now);
    return token;
  });
}

/** Makes the open link for this address void. @throws AppError `forbidden`, `not_found` */
export async function withdraw(
  { db, clock }: LinkContext,
  { actor, email }: AccountChange,
): Promise<void> {
  const now = clock();
  await inTransaction(db, async (tx) => {
    await lockAdministrators(tx, actor);
    const withdrawn = await tx
      .delete(reviewerInvitations)
      .where(eq(reviewerInvitations.email, email))
      .returning({ email: reviewerInvitations.email });
    if (withdrawn.length === 0)
      throw new AppError('not_found', `${email} has no open link. It may have been used already.`);
    await recordAction(tx, { actor, action: 'invitation_withdrawn', subject: email }, now);
  });
}

export async function anyAdministrator(tx: Db): Promise<boolean> {
  const [found] = await tx
    .select({ id: reviewers.id })
    .from(reviewers)
    .where(isActiveAdministrator)
    .limit(1);
  return found !== undefined;
}

/** Deletes the open link for an address; null: that for the first administrator. */
export async function deleteLink(tx: Db, email: string | null): Promise<void> {
  await tx
    .delete(reviewerInvitations)
    .where(
      email === null ? isNull(reviewerInvitations.email) : eq(reviewerInvitations.email, email),
    );
}

/** An address has one open link at most. @returns the token */
async function createLink(
  tx: Db,
  link: { email: string; role: ReviewerRole; invitedBy: string },
  now: number,
): Promise<string> {
  await deleteLink(tx, link.email);
  const token = randomBytes(32).toString('base64url');
  await tx.insert(reviewerInvitations).values({
    ...link,
    tokenHash: hashOf(token),
    createdAt: new Date(now),
    expiresAt: new Date(now + INVITATION_MS),
  });
  return token;
}

/** What is stored of a token. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** A condition on `reviewerInvitations`: the link with this token, unless it has expired. */
export const isOpenLink = (token: string, now: number) =>
  and(
    eq(reviewerInvitations.tokenHash, hashOf(token)),
    gt(reviewerInvitations.expiresAt, new Date(now)),
  );

/** The URL that uses a link's token. Having it is enough to get the account. */
export const joinLink = (origin: string, token: string) => `${origin}/review/join/${token}`;

const TOKEN_PATTERN = /^[\w-]{43}$/;

export type Invitation = NonNullable<Awaited<ReturnType<typeof invitation>>>;

/** What the link is for; null if it is wrong, used, withdrawn or expired. @throws AppError `unavailable` */
export async function invitation({ db, clock }: AccountsContext, token: string) {
  if (!TOKEN_PATTERN.test(token)) return null;
  return withRetry(async () => {
    const [link] = await db.select().from(reviewerInvitations).where(isOpenLink(token, clock()));
    if (!link) return null;
    if (link.email === null && (await anyAdministrator(db))) return null;
    const account = link.email === null ? undefined : await accountOf(db, link.email);
    if (account?.deactivatedAt) return null;
    const { email, role, invitedBy } = link;
    return {
      /** Null if the person who uses the link chooses the address. */
      email,
      role: account?.role ?? role,
      invitedBy,
      expiresAt: link.expiresAt.toISOString(),
      /** It is for an existing account. */
      renews: account !== undefined,
    };
  });
}

/**
 * Uses the link. Its row is deleted in the transaction that creates the account or renews the access: of two uses at
 * once only one finds it, and a failure leaves it usable.
 * @returns the address of the account
 * @throws AppError `not_found` (the link does not work), `invalid_body`, `invalid_state` (the address has an account)
 */
export async function join(
  context: AccountsContext,
  token: string,
  { name, email: typed, password }: Join,
): Promise<string> {
  const found = await invitation(context, token);
  if (!found) throw noLink();
  const email = found.email ?? typed;
  if (email === undefined) throw required('email');
  if (!found.renews && name === undefined) throw required('name');
  if (password.toLowerCase().includes(email)) throw passwordContainsEmail('password');
  const passwordHash = await hashPassword(context.auth, password);

  const now = context.clock();
  return inTransaction(context.db, async (tx) => {
    const [link] = await tx
      .delete(reviewerInvitations)
      .where(isOpenLink(token, now))
      .returning({ email: reviewerInvitations.email, role: reviewerInvitations.role });
    if (!link && (await hasPassword(tx, email, passwordHash))) return email;
    if (!link || (link.email === null && (await anyAdministrator(tx)))) throw noLink();
    const account = link.email === null ? undefined : await accountOf(tx, link.email);
    if (account) {
      if (account.deactivatedAt) throw noLink();
      await setPassword(tx, account.id, passwordHash, now);
      await removeSecondFactor(tx, account);
      await endAccess(tx, account);
    } else {
      if (name === undefined) throw required('name');
      await createAccount(tx, { email, name, passwordHash, role: link.role }, now);
      await deleteLink(tx, email);
      if (link.role === 'administrator') await deleteLink(tx, null);
    }
    await recordAction(
      tx,
      { actor: email, action: account ? 'access_renewed' : 'reviewer_joined', subject: email },
      now,
    );
    return email;
  });
}

/** Each hash has its own salt: if this one is stored, this very call was committed and only its response was lost. */
async function hasPassword(tx: Db, email: string, passwordHash: string): Promise<boolean> {
  const found = await tx
    .select({ id: reviewerAccounts.id })
    .from(reviewerAccounts)
    .innerJoin(reviewers, eq(reviewers.id, reviewerAccounts.userId))
    .where(and(eq(reviewers.email, email), eq(reviewerAccounts.password, passwordHash)));
  return found.length > 0;
}

const noLink = () =>
  new AppError('not_found', 'This link no longer works. Ask an administrator for a new one.');
const required = (field: string) =>
  invalid('invalid_body', [{ path: field, message: 'is required' }]);
