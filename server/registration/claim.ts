import { and, asc, eq } from 'drizzle-orm';
import { isExpired, registrations } from '#db/schema/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { OPERATOR, PROVED_REASON } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { pinOf } from '#server/identity/index.ts';
import { pinIfAllProved, proveBy } from './proof.ts';
import {
  presentRegistration,
  readRegistration,
  requireRegistrationId,
  type RecordContext,
} from './record.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { changeRegistration } from './state-machine.ts';

/** What the holder of a node's key may do with the registrations of the node, in requests that the key has signed. */

/**
 * Proves a registration that was started without the key, such as in a browser. Again: the same answer.
 * @param key that has signed the request, as text
 * @throws AppError `not_found`, `invalid_body` (for another node), `invalid_state` (it has ended, or the node is pinned
 *   to another key, or another key was first), `unavailable`
 */
export async function claimByKey(
  context: RecordContext,
  { nodeId, id, key }: { nodeId: string; id: string; key: string },
  now = context.clock(),
): Promise<Registration> {
  requireRegistrationId(id);
  const row = await changeRegistration(context, id, now, (row) => {
    if (row.nodeId !== nodeId)
      throw invalid('invalid_body', [
        { path: 'id', message: `belongs to a registration for another node, ${row.nodeId}` },
      ]);
    const pin = pinOf(context, nodeId);
    if (pin && pin.key !== key)
      throw new AppError(
        'invalid_state',
        'The node is pinned to another key. Sign with that key, or ask a reviewer to reset the pin.',
      );
    if (row.status === 'rejected')
      throw new AppError('invalid_state', 'This registration has ended. Start a new one.');
    const set = proveBy(context, row, key);
    return set && { to: row.status, actor: OPERATOR, reason: PROVED_REASON, set };
  });
  if (row.status === 'active') await pinIfAllProved(context, row, now);
  return presentRegistration(context, row);
}

/** The registrations of a node that a key has proved, the oldest first. @throws AppError `unavailable` */
export async function registrationsOfKey(
  context: RecordContext,
  { nodeId, key }: { nodeId: string; key: string },
  now = context.clock(),
): Promise<Registration[]> {
  const found = await withRetry(() =>
    context.db
      .select()
      .from(registrations)
      .where(and(eq(registrations.nodeId, nodeId), eq(registrations.proofKey, key)))
      .orderBy(asc(registrations.createdAt), asc(registrations.id)),
  );
  const rows = await Promise.all(
    found.map(async (row) => (isExpired(row, now) ? readRegistration(context, row.id, now) : row)),
  );
  return rows.map((row) => presentRegistration(context, row));
}
