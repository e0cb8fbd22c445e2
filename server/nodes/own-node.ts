import { AppError } from '#server/common/errors.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { requireUnblockedNode } from '#server/mesh/index.ts';
import type { RemovalContext } from './removal-context.ts';
import { removeNodes } from './remove-nodes.ts';

/**
 * Removes a node at the request of its operator.
 * @throws AppError `not_found`, `blocked` (reviewers want to keep what it sent), `unavailable`
 */
export async function removeOwnNode(context: RemovalContext, nodeId: string): Promise<void> {
  requireUnblockedNode(context, nodeId);
  const removed = NODE_ID_PATTERN.test(nodeId) ? await removeNodes(context, [nodeId]) : [];
  if (removed.length === 0)
    throw new AppError('not_found', 'There is no node with this id, or it was removed before.');
}
