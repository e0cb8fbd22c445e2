import { and, eq } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations, type NodeKeyRow, type RegistrationRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import {
  hasRevokedKey,
  lockNode,
  needsReviewer,
  pinInTransaction,
  pinOf,
  signsForNode,
} from '#server/identity/index.ts';
import type { ReviewIndex } from './review-index.ts';

/**
 * A registration is proved by the key of its node: whoever holds that key has started it, confirmed its payment or
 * claimed it. The first key that proves a registration stays, until its node is pinned to another one.
 */

type Proved = Pick<RegistrationRow, 'nodeId' | 'proofKey'>;

/** The pin of a node, as far as it matters here; undefined: it has none. */
export type Pinned = Pick<NodeKeyRow, 'key'> | undefined;

/**
 * Whether some key has proved a registration that a pin to another one does not outweigh: it may not be the node's.
 * @param pin of its node: a server’s memory may be a second behind the database
 */
export const isProved = ({ proofKey }: Pick<RegistrationRow, 'proofKey'>, pin: Pinned): boolean =>
  proofKey !== null && (!pin || pin.key === proofKey);

/**
 * Whether the node’s own key has proved a registration: the one to which the node is pinned or, without a pin, the one
 * that signs its heartbeats.
 */
export function isNodeProved<Row extends Proved>(
  context: Pick<ServiceContext, 'live' | 'clock'>,
  row: Row,
): row is Row & { proofKey: string } {
  const { nodeId, proofKey: key } = row;
  if (key === null) return false;
  const pin = pinOf(context, nodeId);
  return pin ? pin.key === key : signsForNode(context, { nodeId, key }, context.clock());
}

/**
 * Whether the key that has proved a registration is the node’s by what a reviewer has decided: the node is pinned to it
 * by an acceptance or by a reviewer. Anyone has any number of nodes whose heartbeats a key signs, and of first-use pins.
 */
export function isReviewedKey(
  context: Pick<ServiceContext, 'live'> & { reviewIndex: ReviewIndex },
  { nodeId, proofKey }: Pick<RegistrationRow, 'nodeId' | 'proofKey'>,
): boolean {
  const pin = pinOf(context, nodeId);
  if (!pin || pin.key !== proofKey || pin.source === 'first_use') return false;
  // One that was pinned at its first use may have been replaced: then the node has proved names, if a reviewer knows it.
  return (
    pin.source !== 'rotation' ||
    context.reviewIndex
      .ofNode(nodeId)
      .some((row) => row.status === 'active' && row.proofKey === proofKey)
  );
}

/**
 * What changes when a key proves a registration; null: nothing, because it has. The key that a node is pinned to
 * replaces any other; and any key does where a name is active and its node has no pin, because a reviewer has reset it.
 * @param pin of its node: whoever writes what changes asks again, with the pin in that transaction
 * @throws AppError `invalid_state` (another key was first)
 */
export function proveBy(
  row: Pick<RegistrationRow, 'proofKey' | 'status'>,
  key: string,
  pin: Pinned,
): { proofKey: string } | null {
  if (row.proofKey === key) return null;
  const replaceable = pin ? pin.key === key : row.status === 'active';
  if (row.proofKey !== null && !replaceable)
    throw new AppError('invalid_state', 'Another key has proved this registration already.');
  return { proofKey: key };
}

/**
 * Pins the node of a registration that has become active to the key that has proved it, in the transaction of that
 * change, unless the node is pinned already, or a key of it was revoked and it has other active names: then a reviewer
 * pins it.
 */
export async function pinActivated(
  tx: Db,
  context: ServiceContext,
  before: RegistrationRow,
  after: RegistrationRow,
  now: number,
): Promise<NodeKeyRow | undefined> {
  if (after.status !== 'active' || before.status === 'active' || after.proofKey === null) return;
  const { nodeId, proofKey: key } = after;
  // The lock was taken before the registration was changed.
  if (await needsReviewer(tx, nodeId, after.id)) return;
  return pinInTransaction(tx, context, { nodeId, key, source: 'registration' }, now);
}

/**
 * Pins a node whose names were activated before they were proved, once this key has proved all of them: otherwise the
 * holder of one name could lock out those of the others. Where a key of the node was revoked, a reviewer pins it.
 * @throws AppError `unavailable`
 */
export async function pinIfAllProved(
  context: ServiceContext,
  { nodeId, proofKey: key }: Proved,
  now: number,
): Promise<void> {
  if (key === null || pinOf(context, nodeId)) return;
  const pin = await inTransaction(context.db, async (tx) => {
    await lockNode(tx, nodeId);
    if (await hasRevokedKey(tx, nodeId)) return undefined;
    const active = await tx
      .select({ key: registrations.proofKey })
      .from(registrations)
      .where(and(eq(registrations.nodeId, nodeId), eq(registrations.status, 'active')));
    return active.length > 0 && active.every((other) => other.key === key)
      ? pinInTransaction(tx, context, { nodeId, key, source: 'registration' }, now)
      : undefined;
  });
  if (pin) context.live.nodeKeys.apply([pin]);
}
