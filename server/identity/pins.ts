import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { PinSource } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { nodeKeys, registrations, type NodeKeyRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { hasRevokedKey, lockNode, requireUnrevoked } from './former-keys.ts';

/** The keys to which node ids are pinned. Whoever writes applies the rows to `live.nodeKeys` after the commit. */

/** The pin of a node; undefined if there is none. */
export const pinOf = ({ live }: Pick<ServiceContext, 'live'>, nodeId: string) =>
  live.nodeKeys.get(nodeId);

/** The error for what another than the node's own key has signed, or nobody. */
export const signatureRequired = (signer: string | null): AppError =>
  new AppError(
    'signature_required',
    signer === null
      ? 'This node id is pinned to a key. Sign the request with that key, as RFC 9421 says; mesh-agent does it automatically.'
      : 'This node id is pinned to another key than the one that signed the request. Sign with the pinned key, or ask a reviewer to reset the pin.',
  );

/** The pin of a node as the database has it; undefined if there is none. @param tx has called {@link lockNode} */
export async function readPin(tx: Db, nodeId: string): Promise<NodeKeyRow | undefined> {
  const [row] = await tx.select().from(nodeKeys).where(eq(nodeKeys.id, nodeId));
  return row;
}

export interface NewPin {
  nodeId: string;
  /** The public key as text. */
  key: string;
  source: PinSource;
}

/**
 * Pins a node id to a key, unless it is pinned already. The caller has checked that the key is not revoked.
 * @returns the new pin; undefined if the node has one, to whatever key
 */
export async function pinInTransaction(
  tx: Db,
  { live, serverId }: Pick<ServiceContext, 'live' | 'serverId'>,
  { nodeId, key, source }: NewPin,
  now: number,
): Promise<NodeKeyRow | undefined> {
  const rows = await tx
    .insert(nodeKeys)
    .values({ id: nodeId, key, source, pinnedAt: new Date(now), rev: now, writtenBy: serverId })
    .onConflictDoNothing()
    .returning();
  await live.record(tx, 'node_keys', rows);
  return rows[0];
}

/**
 * Replaces the key of a pinned node.
 * @returns the pin; undefined if the node is not pinned to `previous`
 */
export async function repinInTransaction(
  tx: Db,
  { live, serverId }: Pick<ServiceContext, 'live' | 'serverId'>,
  { nodeId, key, previous }: { nodeId: string; key: string; previous: string },
  now: number,
): Promise<NodeKeyRow | undefined> {
  const rows = await tx
    .update(nodeKeys)
    .set({
      key,
      source: 'rotation',
      pinnedAt: new Date(now),
      rev: sql`${nodeKeys.rev} + 1`,
      writtenAt: sql`now()`,
      writtenBy: serverId,
    })
    .where(and(eq(nodeKeys.id, nodeId), eq(nodeKeys.key, previous)))
    .returning();
  await live.record(tx, 'node_keys', rows);
  return rows[0];
}

/**
 * Ends the pins of nodes.
 * @param only those that were made in this way at this moment
 * @returns those that had one: pass them to `live.nodeKeys.delete` after the commit
 */
export async function unpinInTransaction(
  tx: Db,
  { live }: Pick<ServiceContext, 'live'>,
  nodeIds: string[],
  only?: { source: PinSource; pinnedAt: Date },
): Promise<{ id: string; rev: number }[]> {
  if (nodeIds.length === 0) return [];
  const rows = await tx
    .delete(nodeKeys)
    .where(
      and(
        inArray(nodeKeys.id, nodeIds),
        only && and(eq(nodeKeys.source, only.source), eq(nodeKeys.pinnedAt, only.pinnedAt)),
      ),
    )
    .returning({ id: nodeKeys.id, rev: nodeKeys.rev });
  await live.recordDeleted(tx, 'node_keys', rows);
  return rows;
}

/**
 * Pins a node id to the key that has signed a request, unless it is pinned: on a network whose NODE_KEYS is `first-use`. Of
 * several keys at once one is pinned, and the others are refused.
 * @throws AppError `signature_required` (it was pinned to another key meanwhile), `unavailable`
 */
export async function pinFirstUse(
  context: ServiceContext,
  nodeId: string,
  key: string,
  now = context.clock(),
): Promise<void> {
  const pin = await inTransaction(context.db, async (tx) => {
    await lockNode(tx, nodeId);
    await requireUnrevoked(tx, nodeId, key);
    if (await needsReviewer(tx, nodeId)) return null;
    const made = await pinInTransaction(tx, context, { nodeId, key, source: 'first_use' }, now);
    if (made) return made;
    return readPin(tx, nodeId);
  });
  if (pin === null) return;
  if (pin) context.live.nodeKeys.apply([pin]);
  if (pin?.key !== key) throw signatureRequired(key);
}

/**
 * Whether only a reviewer can pin a node: a key of it was revoked, and it has active names. Otherwise whoever was
 * quicker after a reset, the thief or the owner, would speak for names that somebody has paid for.
 * @param tx has called {@link lockNode}
 * @param except a registration that does not count
 */
export async function needsReviewer(tx: Db, nodeId: string, except?: string): Promise<boolean> {
  if (!(await hasRevokedKey(tx, nodeId))) return false;
  const [active] = await tx
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(
        eq(registrations.nodeId, nodeId),
        eq(registrations.status, 'active'),
        except === undefined ? undefined : ne(registrations.id, except),
      ),
    )
    .limit(1);
  return active !== undefined;
}
