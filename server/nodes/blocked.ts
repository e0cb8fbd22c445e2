import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { ProposedBans } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Db } from '#db/client.ts';
import { blockedNodes, type BlockedRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { requireReason, writeRecorded, type ReviewAction } from '#server/audit/index.ts';
import { lockNode, pinOf } from '#server/identity/index.ts';
import { requireUnreservedNodeId } from '#server/mesh/index.ts';

/** Nodes that reviewers have blocked: their reports are rejected, and what they sent before is hidden. */

export interface BlockInput {
  nodeId: string;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
  reason: string;
}

/** @throws AppError `already_decided` (it is already blocked), `invalid_body`, `reserved_node_id`, `unavailable` */
export async function blockNode(
  context: ServiceContext,
  { nodeId, reviewer, reason: raw }: BlockInput,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  requireUnreservedNodeId(nodeId);
  const blocked = {
    reason,
    blockedBy: reviewer,
    blockedAt: new Date(now),
    writtenBy: context.serverId,
  };
  await change(
    context,
    { actor: reviewer, action: 'node_blocked', subject: nodeId, reason },
    `${nodeId} is already blocked.`,
    async (tx) => {
      // A rotation that is under way ends first: one key or the other is known to be this node's.
      await lockNode(tx, nodeId);
      return tx
        .insert(blockedNodes)
        .values({ id: nodeId, ...blocked })
        .onConflictDoUpdate({
          target: blockedNodes.id,
          // Citus refuses now() here.
          set: { ...blocked, liftedAt: null, ...nextRev(), writtenAt: sql`excluded.written_at` },
          setWhere: isNotNull(blockedNodes.liftedAt),
        })
        .returning();
    },
    now,
  );
}

/** Accepts the node's reports again, and shows what it sent before. @throws as {@link blockNode} */
export async function unblockNode(
  context: ServiceContext,
  { nodeId, reviewer, reason: raw }: BlockInput,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  await change(
    context,
    { actor: reviewer, action: 'node_unblocked', subject: nodeId, reason },
    `${nodeId} is not blocked.`,
    (tx) =>
      tx
        .update(blockedNodes)
        .set({ liftedAt: new Date(now), writtenBy: context.serverId, ...nextRev() })
        .where(and(eq(blockedNodes.id, nodeId), isNull(blockedNodes.liftedAt)))
        .returning(),
    now,
  );
}

/**
 * Writes the node's row together with the action, and updates the read model.
 * @param refusal the error message if there is nothing to change
 * @param write returns the written row, or no row
 */
async function change(
  { db, live }: ServiceContext,
  action: ReviewAction,
  refusal: string,
  write: (tx: Db) => Promise<BlockedRow[]>,
  now: number,
): Promise<void> {
  let stored: BlockedRow[] = [];
  const written = await writeRecorded(db, action, now, async (tx) => {
    const rows = await write(tx);
    await live.record(tx, 'blocked_nodes', rows);
    stored =
      rows.length > 0
        ? rows
        : await tx.select().from(blockedNodes).where(eq(blockedNodes.id, action.subject));
    return rows;
  });
  if (!written) throw new AppError('already_decided', refusal);
  live.blocked.apply(stored);
}

const nextRev = () => ({ rev: sql`${blockedNodes.rev} + 1`, writtenAt: sql`now()` });

/** Blocked nodes, the most recently blocked first. */
export function blockedNow({ live }: ServiceContext): BlockedRow[] {
  return [...live.blocked.rows()]
    .filter(({ liftedAt }) => liftedAt === null)
    .sort((a, b) => b.blockedAt.getTime() - a.blockedAt.getTime());
}

/**
 * The blocked nodes as bans for the network's next truth. Peers know each other by their keys, so only a node that is
 * or was pinned to a key can be banned: by each key that it had, so that it can't go on with another one. What reviewers
 * wrote stays here: a ban and its reason are public.
 */
export function proposedBans(context: ServiceContext): Omit<ProposedBans, 'service'> {
  const bans: ProposedBans['bans'] = [];
  const notBannable: ProposedBans['notBannable'] = [];
  const former = new Map<string, string[]>();
  for (const { nodeId, key } of context.live.formerKeys.rows())
    if (context.live.nodes.isBlocked(nodeId))
      former.set(nodeId, [...(former.get(nodeId) ?? []), key]);
  for (const { id: nodeId, blockedAt } of blockedNow(context)) {
    const since = blockedAt.toISOString();
    const pin = pinOf(context, nodeId);
    const keys = new Set([...(pin ? [pin.key] : []), ...(former.get(nodeId) ?? []).sort()]);
    for (const key of keys)
      bans.push({ nodeId, peer: peerIdOfKey(key), reason: '', since, until: null });
    if (keys.size === 0)
      notBannable.push({
        nodeId,
        since,
        why: 'It is pinned to no key, so its peer ID is not known.',
      });
  }
  return { exportedAt: new Date(context.clock()).toISOString(), bans, notBannable };
}
