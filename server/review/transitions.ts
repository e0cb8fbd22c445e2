import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { registrationHistory, type RegistrationRow } from '#db/schema.ts';
import { AppError, parse } from '#server/common/errors.schema.ts';
import { Reason } from '#server/common/fields.schema.ts';
import { SYSTEM, type DecisionKind } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import {
  changeRegistration,
  EXPIRED_REASON,
  type Change,
} from '#server/registration/state-machine.ts';

/** The reviewers' side: accept, reject, revoke, and the history that explains every state. */

export interface Decision {
  id: string;
  /** Who decides, as the history shall name them. */
  reviewer: string;
}

/** What is done in the transaction of a decision: both or neither. */
type Also = (tx: Db) => Promise<void>;

/** pending_review → active. @throws AppError `not_found`, `already_decided`, `invalid_state`, `unavailable` */
export function accept(
  s: ServiceContext,
  { id, reviewer }: Decision,
  now = s.clock(),
  also?: Also,
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
  return changeRegistration(s, id, now, decide, also);
}

/** Why it ends, and which `rev` of the registration that is about; null: of any. */
type Ending = Decision & { reason: string; rev?: number | null };

/** pending_review or pending_payment → rejected. The operator sees the reason. @throws as {@link accept}, and `invalid_body` */
export function reject(
  s: ServiceContext,
  decision: Ending,
  now = s.clock(),
  also?: Also,
): Promise<RegistrationRow> {
  return end(s, 'reject', decision, now, also);
}

/** active → rejected: the name leaves the registry and is free. @throws as {@link reject} */
export function revoke(
  s: ServiceContext,
  decision: Ending,
  now = s.clock(),
  also?: Also,
): Promise<RegistrationRow> {
  return end(s, 'revoke', decision, now, also);
}

async function end(
  s: ServiceContext,
  kind: 'reject' | 'revoke',
  { id, reviewer, reason, rev }: Ending,
  now: number,
  also: Also | undefined,
): Promise<RegistrationRow> {
  const text = requireReason(reason);
  const decide = (row: RegistrationRow): Change => {
    requireDecidable(kind, row, rev);
    return {
      to: 'rejected',
      actor: reviewer,
      reason: text,
      set: { decidedAt: new Date(now), decidedBy: reviewer, rejectionReason: text },
    };
  };
  return changeRegistration(s, id, now, decide, also);
}

/**
 * Refuses a decision that the registration's state does not allow.
 * @param rev of the registration that the decision is about; null: of any
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
        throw new AppError('invalid_state', 'The operator has not confirmed a payment yet.');
      if (row.status !== 'pending_review') throw alreadyDecided(row);
      return;
    case 'reject':
      if (row.status !== 'pending_review' && row.status !== 'pending_payment')
        throw alreadyDecided(row);
      // "Nobody paid" is no answer to somebody who has confirmed meanwhile.
      if (rev !== null && row.rev !== rev)
        throw new AppError(
          'invalid_state',
          'The operator has changed this registration since it was shown to you. Look at it as it is now, then decide.',
        );
      return;
    case 'revoke':
      if (row.status === 'rejected') throw alreadyDecided(row);
      if (row.status !== 'active')
        throw new AppError(
          'invalid_state',
          'Only an active registration can be revoked; reject this one.',
        );
  }
}

const WithReason = z.object({ reason: Reason });

/** A reason as it is kept. @throws AppError `invalid_body` */
export const requireReason = (reason: string): string =>
  parse(WithReason, { reason }, 'invalid_body').reason;

/** Who decided what, and when: for the one who came second. */
export function alreadyDecided(row: RegistrationRow): AppError {
  const at = (row.decidedAt ?? row.updatedAt).toISOString();
  // As the pages show moments.
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
  const what =
    row.status === 'active'
      ? `accepted by ${row.decidedBy}`
      : row.decidedBy === SYSTEM
        ? `ended by the system (${EXPIRED_REASON})`
        : `rejected by ${row.decidedBy} (${row.rejectionReason})`;
  return new AppError('already_decided', `This registration was already ${what} at ${when}.`);
}

/** Every change of state of one registration, oldest first. */
export function history(s: ServiceContext, id: string) {
  return withRetry(() =>
    s.db
      .select()
      .from(registrationHistory)
      .where(eq(registrationHistory.registrationId, id))
      .orderBy(asc(registrationHistory.rev)),
  );
}
