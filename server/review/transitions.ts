import { asc, eq } from 'drizzle-orm';
import { registrationHistory, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { requireReason } from '#server/audit/index.ts';
import { OPERATOR, SYSTEM, type DecisionKind } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  CANCELLED_REASON,
  changeRegistration,
  EXPIRED_REASON,
  type Change,
  type InTransaction,
} from '#server/registration/index.ts';

/** Accept, reject and revoke, with immediate effect; and the history of a registration's states. */

export interface Decision {
  /** Of the registration. */
  id: string;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
}

/** pending_review → active. @throws AppError `not_found`, `already_decided`, `invalid_state`, `unavailable` */
export function accept(
  s: ServiceContext,
  { id, reviewer }: Decision,
  now = s.clock(),
  inTransaction?: InTransaction,
): Promise<RegistrationRow> {
  const at = new Date(now);
  const decide = (row: RegistrationRow): Change => {
    requireDecidable('accept', row);
    return {
      to: 'active',
      actor: reviewer,
      set: { activatedAt: at, decidedAt: at, decidedBy: reviewer, rejectionReason: null },
    };
  };
  return changeRegistration(s, id, now, decide, inTransaction);
}

export interface Rejection extends Decision {
  /** The operator sees it. */
  reason: string;
  /** The `rev` of the registration that the reviewer saw; null: any. */
  rev?: number | null;
}

/** pending_review or pending_payment → rejected. @throws as {@link accept}, and `invalid_body` */
export function reject(
  s: ServiceContext,
  rejection: Rejection,
  now = s.clock(),
  inTransaction?: InTransaction,
): Promise<RegistrationRow> {
  return end(s, 'reject', rejection, now, inTransaction);
}

/** active → rejected: the name leaves the registry and becomes available. @throws as {@link reject} */
export function revoke(
  s: ServiceContext,
  rejection: Rejection,
  now = s.clock(),
  inTransaction?: InTransaction,
): Promise<RegistrationRow> {
  return end(s, 'revoke', rejection, now, inTransaction);
}

async function end(
  s: ServiceContext,
  kind: 'reject' | 'revoke',
  { id, reviewer, reason: raw, rev }: Rejection,
  now: number,
  inTransaction: InTransaction | undefined,
): Promise<RegistrationRow> {
  const reason = requireReason(raw);
  const decide = (row: RegistrationRow): Change => {
    requireDecidable(kind, row, rev);
    return {
      to: 'rejected',
      actor: reviewer,
      reason,
      set: { decidedAt: new Date(now), decidedBy: reviewer, rejectionReason: reason },
    };
  };
  return changeRegistration(s, id, now, decide, inTransaction);
}

/**
 * Refuses a decision that the state of the registration does not allow.
 * @param rev the one that the decision is about; null: any
 * @throws AppError `already_decided`, `invalid_state`
 */
export function requireDecidable(
  decision: DecisionKind,
  row: RegistrationRow,
  rev: number | null = null,
): void {
  switch (decision) {
    case 'accept':
      if (row.status === 'pending_payment')
        throw new AppError('invalid_state', 'The operator has not confirmed the payment yet.');
      if (row.status !== 'pending_review') throw alreadyDecided(row);
      return;
    case 'reject':
      if (row.status !== 'pending_review' && row.status !== 'pending_payment')
        throw alreadyDecided(row);
      // "Nobody paid" must not reach an operator who has confirmed the payment in the meantime.
      if (rev !== null && row.rev !== rev)
        throw new AppError(
          'invalid_state',
          'The operator has changed this registration since you opened it. Check it again, then decide.',
        );
      return;
    case 'revoke':
      if (row.status === 'rejected') throw alreadyDecided(row);
      if (row.status !== 'active')
        throw new AppError(
          'invalid_state',
          'Only an active registration can be revoked. Reject this one instead.',
        );
  }
}

/** For the reviewer who is second: what was decided, by whom and when. */
export function alreadyDecided(row: RegistrationRow): AppError {
  const at = (row.decidedAt ?? row.updatedAt).toISOString();
  // In the format of the pages.
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  const what =
    row.status === 'active'
      ? `accepted by ${row.decidedBy}`
      : row.decidedBy === SYSTEM
        ? `ended by the system (${EXPIRED_REASON})`
        : row.decidedBy === OPERATOR
          ? CANCELLED_REASON
          : `rejected by ${row.decidedBy} (${row.rejectionReason})`;
  return new AppError('already_decided', `This registration was already ${what} at ${when}.`);
}

/** Every change of state of one registration, oldest first. @throws AppError `unavailable` */
export const statusChanges = (s: ServiceContext, id: string) =>
  withRetry(() =>
    s.db
      .select()
      .from(registrationHistory)
      .where(eq(registrationHistory.registrationId, id))
      .orderBy(asc(registrationHistory.rev)),
  );
