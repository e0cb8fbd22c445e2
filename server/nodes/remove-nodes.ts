import { and, inArray, lt } from 'drizzle-orm';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { computes, nodeDays, outages, peers } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NameIndex } from '#server/names/index.ts';
import { unpinInTransaction } from '#server/identity/index.ts';
import { requireUnblockedNode } from '#server/mesh/index.ts';
import { keptDays } from '#server/uptime/index.ts';

/** Nodes per transaction. */
export const TOGETHER = 100;

/** What removal needs beyond the service context. */
export interface RemovalContext extends ServiceContext {
  readonly names: NameIndex;
  /** The ids of a node's compute offers. */
  readonly offersOf: (nodeId: string) => string[];
  /** Since when (ms) this server has been up, with its database, without interruption. */
  readonly upSince: () => number;
}

export interface RemovalOptions {
  /** Leaves out what was heard of since (ms), also by a heartbeat that arrives meanwhile. */
  silentSince?: number;
  /** Runs in the transaction, with the ids of the nodes that it removes. */
  alsoWrite?: (tx: Db, removed: string[]) => Promise<void>;
}

/**
 * Deletes nodes with their compute offers, their history and their keys, here and on all servers. Names stay, and so
 * does the key of a node that has any. A heartbeat that arrives at the same time is stored either before, and is deleted
 * with the node, or after: then it is the first of a new node.
 * @returns how many there were
 * @throws AppError `unavailable`
 */
export async function removeNodes(
  context: RemovalContext,
  ids: string[],
  options: RemovalOptions = {},
): Promise<number> {
  let removed = 0;
  for (let at = 0; at < ids.length; at += TOGETHER)
    removed += await removeTogether(context, ids.slice(at, at + TOGETHER), options);
  return removed;
}

async function removeTogether(
  context: RemovalContext,
  ids: string[],
  { silentSince, alsoWrite }: RemovalOptions,
): Promise<number> {
  const { db, live, offersOf } = context;
  const offers = ids.flatMap((id) => offersOf(id));
  const silent = (table: typeof peers | typeof computes) =>
    silentSince === undefined ? undefined : lt(table.lastSeen, new Date(silentSince));
  const days = keptDays(context.clock());

  const deleted = await inTransaction(db, async (tx) => {
    const rows = await tx
      .delete(peers)
      .where(and(inArray(peers.id, ids), silent(peers)))
      .returning({ id: peers.id, rev: peers.rev });
    const goneOffers =
      offers.length === 0
        ? []
        : await tx
            .delete(computes)
            .where(and(inArray(computes.id, offers), silent(computes)))
            .returning({ id: computes.id, rev: computes.rev, nodeId: computes.nodeId });
    const gone = rows.map(({ id }) => id);
    const heard = [...gone, ...goneOffers.map(({ id }) => id)];
    if (heard.length > 0)
      await tx
        .delete(nodeDays)
        .where(and(inArray(nodeDays.day, days), inArray(nodeDays.node, heard)));
    if (gone.length > 0) await tx.delete(outages).where(inArray(outages.nodeId, gone));
    await live.recordDeleted(tx, 'peers', rows);
    await live.recordDeleted(tx, 'computes', goneOffers);
    const removed = [...new Set([...gone, ...goneOffers.map(({ nodeId }) => nodeId)])];
    // A key stays with the names that it has proved.
    const unnamed = removed.filter((id) => context.names.ofNode(id).size === 0);
    const pins = await unpinInTransaction(tx, context, unnamed);
    if (removed.length > 0) await alsoWrite?.(tx, removed);
    return { rows, offers: goneOffers, pins, removed };
  });
  live.peers.delete(deleted.rows);
  live.computes.delete(deleted.offers);
  live.nodeKeys.delete(deleted.pins);
  return deleted.removed.length;
}

/**
 * Removes a node at the request of its operator.
 * @throws AppError `not_found`, `blocked` (reviewers want to keep what it sent), `unavailable`
 */
export async function removeOwnNode(context: RemovalContext, nodeId: string): Promise<void> {
  requireUnblockedNode(context, nodeId);
  const removed = NODE_ID_PATTERN.test(nodeId) ? await removeNodes(context, [nodeId]) : 0;
  if (removed === 0)
    throw new AppError('not_found', 'There is no node with this id, or it was removed before.');
}

/** When a node was last heard of, by a heartbeat or an announcement, ms; -Infinity: never. */
export function lastHeard(
  { live, offersOf }: Pick<RemovalContext, 'live' | 'offersOf'>,
  id: string,
): number {
  let last = live.peers.get(id)?.lastSeen.getTime() ?? -Infinity;
  for (const offer of offersOf(id))
    last = Math.max(last, live.computes.get(offer)?.lastSeen.getTime() ?? -Infinity);
  return last;
}
