import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { blockedNodes, type BlockedRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import {
  isRecorded,
  newActionId,
  recordAction,
  requireReason,
  type ReviewAction,
} from '#server/audit/index.ts';
import type { ServiceContext } from '#server/context.ts';
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
    (tx) =>
      tx
        .insert(blockedNodes)
        .values({ id: nodeId, ...blocked })
        .onConflictDoUpdate({
          target: blockedNodes.id,
          // Not now(): Citus refuses it here.
          set: { ...blocked, liftedAt: null, ...nextRev(), writtenAt: sql`excluded.written_at` },
          setWhere: isNotNull(blockedNodes.liftedAt),
        })
        .returning(),
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
  context: ServiceContext,
  auditEntry: ReviewAction,
  refusal: string,
  write: (tx: Db) => Promise<BlockedRow[]>,
  now: number,
): Promise<void> {
  const action = { ...auditEntry, id: newActionId() };
  const rows = await withRetry(() =>
    context.db.transaction(async (tx) => {
      const written = await write(tx);
      if (written.length > 0) {
        await recordAction(tx, action, now);
        await context.live.record(tx, 'blocked_nodes', written);
      } else if (await isRecorded(tx, action))
        return tx.select().from(blockedNodes).where(eq(blockedNodes.id, action.subject));
      return written;
    }),
  );
  if (rows.length === 0) throw new AppError('already_decided', refusal);
  context.live.blocked.apply(rows);
}

const nextRev = () => ({ rev: sql`${blockedNodes.rev} + 1`, writtenAt: sql`now()` });

/** Blocked nodes, the most recently blocked first. */
export function blockedNow({ live }: ServiceContext): BlockedRow[] {
  return [...live.blocked.rows()]
    .filter(({ liftedAt }) => liftedAt === null)
    .sort((a, b) => b.blockedAt.getTime() - a.blockedAt.getTime());
}
