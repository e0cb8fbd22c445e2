import { and, asc, eq } from 'drizzle-orm';
import type { Cancel, RegistrationRecord } from '@mesh-registry/protocol/rest/register.schema.ts';
import { OPERATOR, PROVED_REASON } from '@mesh-registry/protocol/values.schema.ts';
import { isExpired, registrations, secretIdOf, type RegistrationRow } from '#db/schema/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { inTransaction, withRetry } from '#server/common/with-retry.ts';
import { pinOf, requireUnrevoked } from '#server/identity/index.ts';
import { isProved, pinIfAllProved, proveBy, type Pinned } from './proof.ts';
import {
  presentRecord,
  presentRecords,
  readRegistration,
  requireRegistrationId,
  signerOf,
  type RegistrationContext,
} from './record.ts';
import { labelOrName } from './start.ts';
import { changeRegistration } from './state-machine.ts';

/**
 * What the operator may take back, correct and prove. Whoever has the registration's id is its operator; once its
 * payment is reported and the node's key has proved it, the key is needed to end it. The holder of the node's key may
 * also claim the registrations of the node, in requests that the key has signed.
 */

export const CANCELLED_REASON = 'cancelled by its operator';

/**
 * Ends a registration, or releases an active name. The name is free at once. A registration that has already ended
 * stays as it is.
 * @throws AppError `not_found`, `signature_required`, `signature_invalid`, `unavailable`
 */
export async function cancel(
  context: RegistrationContext,
  { id, proof }: Omit<Cancel, 'action'>,
  network: string | null,
  now = context.clock(),
): Promise<RegistrationRecord> {
  requireRegistrationId(id);
  const key = await signerOf(context, { action: 'cancel', id, proof, network }, now);
  const row = await changeRegistration(context, { secret: id }, now, (row) => {
    if (row.status === 'rejected') return null;
    const requireKey = (pin: Pinned) => {
      if (!cancelNeedsKey(row, pin) || key === row.proofKey) return;
      throw new AppError(
        'signature_required',
        'The node’s key has proved this registration, so its link alone doesn’t end it. Send a proof by that key, as “mesh-agent register --cancel” does.',
      );
    };
    requireKey(pinOf(context, row.nodeId));
    return {
      to: 'rejected',
      actor: OPERATOR,
      reason: CANCELLED_REASON,
      key: key ?? undefined,
      requirePin: requireKey,
      set: {
        rejectionReason: CANCELLED_REASON,
        decidedAt: new Date(now),
        decidedBy: OPERATOR,
      },
    };
  });
  return presentRecord(context, row);
}

/** Whether the node's key has to sign the end of a registration. An unpaid one ends by its link alone. */
export const cancelNeedsKey = (
  row: Pick<RegistrationRow, 'status' | 'proofKey'>,
  pin: Pinned,
): boolean => row.status !== 'pending_payment' && isProved(row, pin);

export interface Details extends Pick<RegistrationRow, 'class' | 'region'> {
  /** Undefined or empty: the name. */
  label?: string | undefined;
}

/**
 * Corrects what the registry will show, until a reviewer has decided.
 * @throws AppError `not_found`, `invalid_body`, `invalid_state` (decided), `unavailable`
 */
export async function correctDetails(
  context: RegistrationContext,
  id: string,
  details: Details,
  now = context.clock(),
): Promise<RegistrationRecord> {
  requireRegistrationId(id);
  const row = await changeRegistration(context, { secret: id }, now, (row) => {
    if (row.status !== 'pending_payment' && row.status !== 'pending_review')
      throw new AppError(
        'invalid_state',
        'The details can only be corrected until a reviewer has decided.',
      );
    const label = labelOrName({ label: details.label, name: row.name });
    const set = { label, class: details.class, region: details.region };
    const reason = describeChanges(row, set);
    return reason === '' ? null : { to: row.status, actor: OPERATOR, reason, set };
  });
  return presentRecord(context, row);
}

/** "label garage → barn, class S → M"; empty if nothing changes. */
function describeChanges(
  before: RegistrationRow,
  after: Pick<RegistrationRow, 'label' | 'class' | 'region'>,
): string {
  return (['label', 'class', 'region'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field} ${before[field]} → ${after[field]}`)
    .join(', ');
}

/**
 * Proves a registration that was started without the key, such as in a browser. Again: the same answer.
 * @param key that has signed the request, as text
 * @throws AppError `not_found`, `invalid_body` (for another node), `invalid_state` (it has ended, or the node is pinned
 *   to another key, or another key was first), `signature_invalid` (the key is revoked), `unavailable`
 */
export async function claimByKey(
  context: RegistrationContext,
  { nodeId, id, key }: { nodeId: string; id: string; key: string },
  now = context.clock(),
): Promise<RegistrationRecord> {
  requireRegistrationId(id);
  await withRetry(() => requireUnrevoked(context.db, nodeId, key));
  const row = await changeRegistration(context, { secret: id }, now, (row) => {
    if (row.nodeId !== nodeId)
      throw invalid('invalid_body', [
        { path: 'id', message: `belongs to a registration for another node, ${row.nodeId}` },
      ]);
    const proved = (pin: Pinned) => {
      if (pin && pin.key !== key)
        throw new AppError(
          'invalid_state',
          'The node is pinned to another key. Sign with that key, or ask a reviewer to reset the pin.',
        );
      if (row.status === 'rejected')
        throw new AppError('invalid_state', 'This registration has ended. Start a new one.');
      return proveBy(row, key, pin);
    };
    const set = proved(pinOf(context, nodeId));
    const change = { to: row.status, actor: OPERATOR, reason: PROVED_REASON, key } as const;
    return set && { ...change, set, requirePin: proved };
  });
  if (row.status === 'active') await pinIfAllProved(context, row, now);
  return presentRecord(context, row);
}

/**
 * The registrations of a node that a key has proved, the oldest first.
 * @throws AppError `signature_invalid` (the key is revoked), `unavailable`
 */
export async function registrationsOfKey(
  context: RegistrationContext,
  { nodeId, key }: { nodeId: string; key: string },
  now = context.clock(),
): Promise<RegistrationRecord[]> {
  const found = await inTransaction(context.db, async (tx) => {
    await requireUnrevoked(tx, nodeId, key);
    // Whoever revokes the key from here on takes its proof away: this statement finds the rows before that, or none.
    return tx
      .select()
      .from(registrations)
      .where(and(eq(registrations.nodeId, nodeId), eq(registrations.proofKey, key)))
      .orderBy(asc(registrations.createdAt), asc(registrations.id));
  });
  const rows = await Promise.all(
    found.map(async (row) =>
      isExpired(row, now) ? readRegistration(context, secretIdOf(row), now) : row,
    ),
  );
  return presentRecords(context, rows);
}
