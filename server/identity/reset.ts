import type { ServiceContext } from '#server/context.ts';
import { isRecorded, newActionId, recordAction, requireReason } from '#server/audit/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { unpinInTransaction } from './pins.ts';

export interface KeyReset {
  nodeId: string;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
  reason: string;
}

/**
 * Ends the pin of a node, whose key is lost or stolen: its id is then as free as before. Registrations keep their
 * proof, by the old key.
 * @throws AppError `already_decided` (nothing is pinned), `invalid_body`, `unavailable`
 */
export async function resetKey(
  context: ServiceContext,
  { nodeId, reviewer, reason: raw }: KeyReset,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(raw);
  const action = {
    id: newActionId(),
    actor: reviewer,
    action: 'node_key_reset',
    subject: nodeId,
    reason,
  } as const;
  const { ended, done } = await withRetry(() =>
    context.db.transaction(async (tx) => {
      const ended = await unpinInTransaction(tx, context, [nodeId]);
      if (ended.length > 0) await recordAction(tx, action, now);
      return { ended, done: ended.length > 0 || (await isRecorded(tx, action)) };
    }),
  );
  if (!done) throw new AppError('already_decided', `${nodeId} is pinned to no key.`);
  context.live.nodeKeys.delete(ended);
}
