import { and, eq, gt, isNull } from 'drizzle-orm';
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { reviewerInvitations, reviewers } from '#db/schema/index.ts';
import { recordAction } from '#server/audit/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { accountExists, accountOf, isActiveAdministrator, noAccount } from './account.ts';
import type { Invite } from './accounts.schema.ts';
import type { AccountsContext } from './context.ts';
import { lockAdministrators, type AccountChange } from './roles.ts';

/**
 * Links that create an account, or renew the access to one whose password or second factor is lost. Each can be used
 * once. Having the link is enough to use it, so only its SHA-256 is stored.
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
  return withRetry(() =>
    db.transaction(async (tx) => {
      await lockAdministrators(tx, invitedBy);
      if (await accountOf(tx, email)) throw accountExists(email);
      const token = await createLink(tx, { email, role, invitedBy }, now);
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
      const token = await createLink(tx, { email, role, invitedBy }, now);
      await recordAction(tx, { actor: invitedBy, action: 'access_link_made', subject: email }, now);
      return token;
    }),
  );
}

/** Makes the open link for this address void. @throws AppError `forbidden`, `not_found` */
export async function withdraw(
  { db, clock }: LinkContext,
  { actor, email }: AccountChange,
): Promise<void> {
  const now = clock();
  await withRetry(() =>
    db.transaction(async (tx) => {
      await lockAdministrators(tx, actor);
      const withdrawn = await tx
        .delete(reviewerInvitations)
        .where(eq(reviewerInvitations.email, email))
        .returning({ email: reviewerInvitations.email });
      if (withdrawn.length === 0)
        throw new AppError(
          'not_found',
          `${email} has no open link. It may have been used already.`,
        );
      await recordAction(tx, { actor, action: 'invitation_withdrawn', subject: email }, now);
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
