import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { blockedNodes, type BlockedRow } from '#db/schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { isRecorded, newActionId, recordAction, type ReviewAction } from './audit-log.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { requireUnreservedNodeId } from '#server/mesh/index.ts';
import { requireReason } from './transitions.ts';

/** Nodes that reviewers have blocked: their heartbeats are refused, and nothing shows what they sent before. */

export interface BlockInput {
  nodeId: string;
  /** Who does it, as the history shall name them. */
  reviewer: string;
  reason: string;
}

/** @throws AppError `already_decided` (somebody has blocked it), `invalid_body`, `reserved_node_id`, `unavailable` */
export async function block(
  s: ServiceContext,
  { nodeId, reviewer, reason: raw }: BlockInput,
  now = s.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  requireUnreservedNodeId(nodeId);
  const blocked = { reason, blockedBy: reviewer, blockedAt: new Date(now), writtenBy: s.serverId };
  await change(
    s,
    { actor: reviewer, action: 'node_blocked', subject: nodeId, reason },
    `${nodeId} is blocked already.`,
    (tx) =>
      tx
        .insert(blockedNodes)
        .values({ id: nodeId, ...blocked })
        .onConflictDoUpdate({
          target: blockedNodes.id,
          set: { ...blocked, liftedAt: null, ...nextRev() },
          setWhere: isNotNull(blockedNodes.liftedAt),
        })
        .returning(),
    now,
  );
}

/** From now on its heartbeats count again, and what it sent before is shown. @throws as {@link block} */
export async function unblock(
  s: ServiceContext,
  { nodeId, reviewer, reason: raw }: BlockInput,
  now = s.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  await change(
    s,
    { actor: reviewer, action: 'node_unblocked', subject: nodeId, reason },
    `${nodeId} is not blocked.`,
    (tx) =>
      tx
        .update(blockedNodes)
        .set({ liftedAt: new Date(now), writtenBy: s.serverId, ...nextRev() })
        .where(and(eq(blockedNodes.id, nodeId), isNull(blockedNodes.liftedAt)))
        .returning(),
    now,
  );
}

/**
 * Writes the node's row with the action in the history, and shows it.
 * @param refusal what is told when there is nothing to change
 * @param write answers with the row, or with none
 */
async function change(
  s: ServiceContext,
  deed: ReviewAction,
  refusal: string,
  write: (tx: Db) => Promise<BlockedRow[]>,
  now: number,
): Promise<void> {
  const action = { ...deed, id: newActionId() };
  const rows = await withRetry(() =>
    s.db.transaction(async (tx) => {
      const written = await write(tx);
      if (written.length > 0) await recordAction(tx, action, now);
      else if (await isRecorded(tx, action))
        return tx.select().from(blockedNodes).where(eq(blockedNodes.id, action.subject));
      return written;
    }),
  );
  if (rows.length === 0) throw new AppError('already_decided', refusal);
  s.live.blocked.apply(rows);
}

const nextRev = () => ({ rev: sql`${blockedNodes.rev} + 1`, writtenAt: sql`now()` });

/** Nodes that are blocked now, the last one first. */
export function blockedNow({ live }: ServiceContext): BlockedRow[] {
  return [...live.blocked.rows()]
    .filter(({ liftedAt }) => liftedAt === null)
    .sort((a, b) => b.blockedAt.getTime() - a.blockedAt.getTime());
}
