import { and, eq, gte, inArray, isNull, lt } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import {
  blockedNodes,
  computes,
  formerKeys,
  hiddenNodes,
  nodeDays,
  outages,
  peers,
  registrations,
} from '#db/schema/index.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NameIndex } from '#server/names/index.ts';
import { lockNodes, unpinInTransaction } from '#server/identity/index.ts';
import { keptDays } from '#server/uptime/index.ts';

/** Nodes per transaction. */
export const TOGETHER = 100;

/** What removal needs beyond the service context. */
export interface RemovalContext extends ServiceContext {
  readonly names: NameIndex;
  /** Since when (ms) this server has been up, with its database, without interruption. */
  readonly upSince: () => number;
}

export interface RemovalOptions {
  /** Leaves out nodes that were heard of since (ms), also by a heartbeat that arrives meanwhile. */
  silentSince?: number;
  /** Runs in the transaction, with the ids of the nodes that it removes. */
  alsoWrite?: (tx: Db, removed: string[]) => Promise<void>;
}

/** Rows that a transaction has deleted: they leave the read model after the commit. */
export interface Deleted extends Unpinned {
  rows: VersionedRow[];
  offers: VersionedRow[];
  hidden: VersionedRow[];
  /** The ids of the nodes. */
  removed: string[];
}
export interface Unpinned {
  pins: VersionedRow[];
  formerKeys: VersionedRow[];
}
type VersionedRow = { id: string; rev: number };

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
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const together = ids.slice(at, at + TOGETHER);
    const deleted = await inTransaction(context.db, async (tx) => {
      await lockNodes(tx, together);
      return deleteNodes(tx, context, together, options);
    });
    forgetDeleted(context, deleted);
    removed += deleted.removed.length;
  }
  return removed;
}

/**
 * Deletes nodes as {@link removeNodes} does, at most {@link TOGETHER}. Call {@link forgetDeleted} after the commit.
 * @param tx has called `lockNodes`
 */
export async function deleteNodes(
  tx: Db,
  context: RemovalContext,
  all: string[],
  { silentSince, alsoWrite }: RemovalOptions = {},
): Promise<Deleted> {
  const { live } = context;
  const ids = silentSince === undefined ? all : await silentOf(tx, all, new Date(silentSince));
  const silent = (table: typeof peers | typeof computes) =>
    silentSince === undefined ? undefined : lt(table.lastSeen, new Date(silentSince));
  const days = keptDays(context.clock());

  const rows = await tx
    .delete(peers)
    .where(and(inArray(peers.id, ids), silent(peers)))
    .returning({ id: peers.id, rev: peers.rev });
  // Also those that another server has stored since we have read.
  const goneOffers = await tx
    .delete(computes)
    .where(and(inArray(computes.nodeId, ids), silent(computes)))
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
  const hidden = await unhideNodes(tx, context, removed);
  const unpinned = await unpinNodes(tx, context, removed);
  if (removed.length > 0) await alsoWrite?.(tx, removed);
  return { rows, offers: goneOffers, hidden, removed, ...unpinned };
}

/** Those of the nodes that were not heard of since a moment, neither by a heartbeat nor by any announcement. */
async function silentOf(tx: Db, ids: string[], since: Date): Promise<string[]> {
  const heard = [
    ...(await tx
      .select({ id: peers.id })
      .from(peers)
      .where(and(inArray(peers.id, ids), gte(peers.lastSeen, since)))),
    ...(await tx
      .select({ id: computes.nodeId })
      .from(computes)
      .where(and(inArray(computes.nodeId, ids), gte(computes.lastSeen, since)))),
  ];
  const kept = new Set(heard.map(({ id }) => id));
  return ids.filter((id) => !kept.has(id));
}

/**
 * Ends the pins of nodes, unless a node has an active name, which its key has proved, or is blocked: reviewers propose its
 * keys for the network's bans. The database says which, whatever this server has read so far. Keys that a pinned one has
 * replaced go with it; those that reviewers have revoked stay.
 * @param tx has called `lockNodes`
 * @returns what there was: pass it to {@link forgetUnpinned} after the commit
 */
export async function unpinNodes(
  tx: Db,
  context: Pick<ServiceContext, 'live'>,
  ids: string[],
): Promise<Unpinned> {
  if (ids.length === 0) return { pins: [], formerKeys: [] };
  const named = await tx
    .select({ id: registrations.nodeId })
    .from(registrations)
    .where(and(inArray(registrations.nodeId, ids), eq(registrations.status, 'active')));
  const blocked = await tx
    .select({ id: blockedNodes.id })
    .from(blockedNodes)
    .where(and(inArray(blockedNodes.id, ids), isNull(blockedNodes.liftedAt)));
  const keep = new Set([...named, ...blocked].map(({ id }) => id));
  const ending = ids.filter((id) => !keep.has(id));
  const gone = await tx
    .delete(formerKeys)
    .where(and(inArray(formerKeys.nodeId, ending), isNull(formerKeys.revokedAt)))
    .returning({ id: formerKeys.id, rev: formerKeys.rev });
  await context.live.recordDeleted(tx, 'former_keys', gone);
  return { pins: await unpinInTransaction(tx, context, ending), formerKeys: gone };
}

/** Forgets that nodes are hidden. @returns those that were: pass them to `live.hidden.delete` after the commit */
export async function unhideNodes(
  tx: Db,
  { live }: Pick<ServiceContext, 'live'>,
  ids: string[],
): Promise<VersionedRow[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .delete(hiddenNodes)
    .where(inArray(hiddenNodes.id, ids))
    .returning({ id: hiddenNodes.id, rev: hiddenNodes.rev });
  await live.recordDeleted(tx, 'hidden_nodes', rows);
  return rows;
}

/** Takes what was deleted out of the read model. */
export function forgetDeleted({ live }: Pick<ServiceContext, 'live'>, deleted: Deleted): void {
  live.peers.delete(deleted.rows);
  live.computes.delete(deleted.offers);
  forgetUnpinned({ live }, deleted);
  live.hidden.delete(deleted.hidden);
}

/** Takes ended pins out of the read model. */
export function forgetUnpinned(
  { live }: Pick<ServiceContext, 'live'>,
  { pins, formerKeys }: Unpinned,
): void {
  live.nodeKeys.delete(pins);
  live.formerKeys.delete(formerKeys);
}
