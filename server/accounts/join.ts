import { and, eq } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { reviewerAccounts, reviewerInvitations, reviewers } from '#db/schema/index.ts';
import { recordAction } from '#server/audit/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  accountOf,
  createAccount,
  endAccess,
  hashPassword,
  passwordContainsEmail,
  removeSecondFactor,
  setPassword,
} from './account.ts';
import type { Join } from './accounts.schema.ts';
import type { AccountsContext } from './context.ts';
import { anyAdministrator, deleteLink, isOpenLink } from './invitations.ts';

/** Using a link: creates the account, or renews the access to it. */

const TOKEN_PATTERN = /^[\w-]{43}$/;

export interface Invitation {
  /** Null if the person who uses the link chooses the address. */
  email: string | null;
  role: ReviewerRole;
  invitedBy: string;
  expiresAt: string;
  /** It is for an existing account. */
  renews: boolean;
}

/** What the link is for; null if it is wrong, used, withdrawn or expired. @throws AppError `unavailable` */
export async function invitation(
  { db, clock }: AccountsContext,
  token: string,
): Promise<Invitation | null> {
  if (!TOKEN_PATTERN.test(token)) return null;
  return withRetry(async () => {
    const [link] = await db.select().from(reviewerInvitations).where(isOpenLink(token, clock()));
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
  return withRetry(() =>
    context.db.transaction(async (tx) => {
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
    }),
  );
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
