import { and, eq, lt, max, sql } from 'drizzle-orm';
import {
  HIDDEN_MS,
  NODE_ID_PATTERN,
  OFFLINE_AFTER_MS,
} from '@mesh-registry/protocol/values.schema.ts';
import type { HiddenNode } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Db } from '#db/client.ts';
import { computes, hiddenNodes, peers, type HiddenRow } from '#db/schema/index.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import {
  isBlockedIn,
  lockNode,
  readPin,
  requireUnrevoked,
  signatureRequired,
} from '#server/identity/index.ts';
import { nodeBlocked, requireUnblockedNode } from '#server/mesh/index.ts';
import {
  deleteNodes,
  forgetDeleted,
  unhideNodes,
  type Deleted,
  type RemovalContext,
} from './remove-nodes.ts';
import { hasBeenUp } from './retention.ts';

/**
 * Removal by operators. The key to which a node is pinned removes it for good. All nodes of a network share one secret,
 * so the secret alone only hides a node: what is heard of it within a day brings it back as it was.
 */

/**
 * Removes a node, or hides it.
 * @param signer the key that has signed the request; null: none
 * @returns since when it is hidden; null: it was removed for good
 * @throws AppError `not_found`, `blocked` (reviewers want to keep what it sent), `signature_required`,
 *   `signature_invalid` (the key is revoked), `invalid_state` (it is online, and has come back before), `unavailable`
 */
export async function removeOwnNode(
  context: RemovalContext,
  nodeId: string,
  signer: string | null,
  now = context.clock(),
): Promise<HiddenNode | null> {
  requireUnblockedNode(context, nodeId);
  if (!NODE_ID_PATTERN.test(nodeId)) throw noNode();
  const done = await inTransaction(context.db, async (tx) => {
    // The database counts: another server may have replaced the pin that we hold, or blocked the node.
    await lockNode(tx, nodeId);
    if (await isBlockedIn(tx, nodeId)) throw nodeBlocked();
    const pin = await readPin(tx, nodeId);
    if (signer !== null) await requireUnrevoked(tx, nodeId, signer);
    if (!pin) return { hidden: await hide(tx, context, nodeId, now) };
    if (pin.key !== signer) throw signatureRequired(signer);
    const deleted = await deleteNodes(tx, context, [nodeId]);
    if (deleted.removed.length === 0) throw noNode();
    return { deleted };
  });
  if (done.deleted) {
    forgetDeleted(context, done.deleted);
    return null;
  }
  context.live.hidden.apply([done.hidden]);
  return presentHidden(nodeId, done.hidden.hiddenAt);
}

/** A hidden node, and when it is removed unless it is heard of. */
export const presentHidden = (nodeId: string, hiddenAt: Date): HiddenNode => ({
  ok: true,
  nodeId,
  hiddenAt: hiddenAt.toISOString(),
  removedAt: new Date(hiddenAt.getTime() + HIDDEN_MS).toISOString(),
});

const noNode = () => new AppError('not_found', 'No node has this id, or it has been removed.');

/** @returns the row; one that hides the node already stays as it is */
async function hide(
  tx: Db,
  context: ServiceContext,
  nodeId: string,
  now: number,
): Promise<HiddenRow> {
  const heard = await lastHeardInDatabase(tx, nodeId);
  if (heard === null) throw noNode();
  const before = await readHidden(tx, nodeId);
  if (before) {
    if (before.hiddenAt >= heard) return before;
    // Otherwise whoever knows the secret could hide a node anew after each of its heartbeats.
    if (now - heard.getTime() <= OFFLINE_AFTER_MS)
      throw new AppError(
        'invalid_state',
        'This node was hidden before, and has sent a heartbeat since. Stop it, and remove it once it is offline.',
      );
  }
  const row = {
    // Of another server's heartbeat, whose clock is a little ahead.
    hiddenAt: new Date(Math.max(now, heard.getTime())),
    writtenBy: context.serverId,
  };
  const written = await tx
    .insert(hiddenNodes)
    .values({ id: nodeId, rev: now, ...row })
    .onConflictDoUpdate({
      target: hiddenNodes.id,
      set: { ...row, rev: sql`${hiddenNodes.rev} + 1`, writtenAt: sql`excluded.written_at` },
      setWhere: lt(hiddenNodes.hiddenAt, heard),
    })
    .returning();
  await context.live.record(tx, 'hidden_nodes', written);
  const stored = written[0] ?? (await readHidden(tx, nodeId));
  if (!stored) throw noNode();
  return stored;
}

async function readHidden(tx: Db, nodeId: string): Promise<HiddenRow | undefined> {
  const [row] = await tx.select().from(hiddenNodes).where(eq(hiddenNodes.id, nodeId));
  return row;
}

/** When a node was last heard of, also by other servers; null: never. */
async function lastHeardInDatabase(tx: Db, nodeId: string): Promise<Date | null> {
  const moments = [
    ...(await tx.select({ at: peers.lastSeen }).from(peers).where(eq(peers.id, nodeId))),
    ...(await tx
      .select({ at: max(computes.lastSeen) })
      .from(computes)
      .where(eq(computes.nodeId, nodeId))),
  ].flatMap(({ at }) => at?.getTime() ?? []);
  return moments.length === 0 ? null : new Date(Math.max(...moments));
}

/**
 * Removes the nodes that have been hidden for a day without being heard of. Not soon after the service itself was away,
 * as {@link hasBeenUp} says: a heartbeat that it missed would have brought them back.
 * @returns how many
 * @throws AppError `unavailable`
 */
export async function removeHiddenNodes(context: RemovalContext): Promise<number> {
  const now = context.clock();
  if (!hasBeenUp(context, now)) return 0;
  const due = [...context.live.hidden.rows()].filter(
    ({ hiddenAt }) => now - hiddenAt.getTime() >= HIDDEN_MS,
  );
  let removed = 0;
  for (const row of due) {
    const deleted = await inTransaction(context.db, (tx) => removeIfSilent(tx, context, row)).catch(
      (error: unknown) => {
        if (isAppError(error) && error.code === 'invalid_state') return null;
        throw error;
      },
    );
    if (!deleted) continue;
    forgetDeleted(context, deleted);
    removed += deleted.removed.length;
  }
  if (removed > 0) context.log.info({ nodes: removed }, 'removed nodes that were hidden for a day');
  return removed;
}

/**
 * @returns what was deleted; null if another server was first, or the node was hidden anew
 * @throws AppError `invalid_state` (it was heard of meanwhile: it stays whole)
 */
async function removeIfSilent(
  tx: Db,
  context: RemovalContext,
  { id, hiddenAt }: HiddenRow,
): Promise<Deleted | null> {
  await lockNode(tx, id);
  const [due] = await tx
    .select()
    .from(hiddenNodes)
    .where(and(eq(hiddenNodes.id, id), eq(hiddenNodes.hiddenAt, hiddenAt)));
  if (!due) return null;
  const heard = await lastHeardInDatabase(tx, id);
  // A node that has a key by now is removed by it alone, and reviewers want to keep what a blocked one has sent.
  const stays =
    heard === null ||
    heard > hiddenAt ||
    (await isBlockedIn(tx, id)) ||
    (await readPin(tx, id)) !== undefined;
  if (stays) {
    const hidden = await unhideNodes(tx, context, [id]);
    return { rows: [], offers: [], pins: [], formerKeys: [], hidden, removed: [] };
  }
  const deleted = await deleteNodes(tx, context, [id], { silentSince: hiddenAt.getTime() + 1 });
  // A heartbeat was stored since we looked: the node keeps its offers as well.
  if ((await lastHeardInDatabase(tx, id)) !== null)
    throw new AppError('invalid_state', `${id} sent a heartbeat while it was being removed.`);
  return deleted;
}
