import { asc, eq } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { reviewerInvitations, reviewers } from '#db/schema/index.ts';
import { recordAction } from '#server/audit/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { SYSTEM, type Action, type ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import { accountOf, endAccess, isActiveAdministrator, noAccount, type Account } from './account.ts';
import type { AccountsContext } from './auth.ts';

/** What administrators change about accounts: roles, and whether an account can be used. */

export interface AccountChange {
  /** The address of an administrator, who makes the change. */
  actor: string;
  /** The address of the account. */
  email: string;
}

/** @throws AppError `not_found`, `forbidden`, `invalid_state` (no administrator would be left) */
export function setRole(
  context: AccountsContext,
  { role, ...change }: AccountChange & { role: ReviewerRole },
): Promise<void> {
  return changeAccount(context, change, {
    action: 'role_changed',
    reason: role,
    set: (account) => (account.role === role ? null : { role }),
  });
}

/** Ends every session at once. @throws AppError as {@link setRole}; `invalid_state` for one's own account */
export async function deactivate(context: AccountsContext, change: AccountChange): Promise<void> {
  if (change.actor === change.email)
    throw new AppError(
      'invalid_state',
      'You can’t deactivate your own account. Ask another administrator.',
    );
  await changeAccount(context, change, {
    action: 'reviewer_deactivated',
    set: (account, now) => (account.deactivatedAt ? null : { deactivatedAt: new Date(now) }),
  });
}

/** @throws AppError as {@link setRole} */
export function reactivate(context: AccountsContext, change: AccountChange): Promise<void> {
  return changeAccount(context, change, {
    action: 'reviewer_reactivated',
    set: (account) => (account.deactivatedAt ? { deactivatedAt: null } : null),
  });
}

/**
 * Locks the rows of all active administrators, always in the same order: of two who demote each other at the same
 * time, the second is no longer an administrator when this returns. That holds on every database engine.
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
    throw new AppError('forbidden', 'Administrators only.');
  return administrators;
}

/**
 * One change of an account, with its row in the history.
 * @param change.set the new values; null if the account has them already
 */
function changeAccount(
  { db, clock }: AccountsContext,
  { actor, email }: AccountChange,
  change: {
    action: Action;
    reason?: string;
    set: (account: Account, now: number) => Partial<Account> | null;
  },
): Promise<void> {
  const now = clock();
  return inTransaction(db, async (tx) => {
    const administrators = await lockAdministrators(tx, actor);
    const account = await accountOf(tx, email);
    if (!account) throw noAccount(email);
    const set = change.set(account, now);
    if (!set) return;
    const after = { ...account, ...set };
    const staysAdministrator = after.role === 'administrator' && !after.deactivatedAt;
    if (!staysAdministrator && administrators.every((one) => one.email === email))
      throw new AppError(
        'invalid_state',
        'This is the last active administrator. Make someone else an administrator first.',
      );
    await tx
      .update(reviewers)
      .set({ ...set, updatedAt: new Date(now) })
      .where(eq(reviewers.id, account.id));
    if ('deactivatedAt' in set) await endAccess(tx, account);
    // With a link of their own they could come back as administrator.
    if (!staysAdministrator)
      await tx.delete(reviewerInvitations).where(eq(reviewerInvitations.invitedBy, email));
    await recordAction(
      tx,
      { actor, action: change.action, subject: email, reason: change.reason },
      now,
    );
  });
}
