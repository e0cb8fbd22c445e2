import { AppError } from '#server/common/errors.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';

/** @throws AppError `reserved_node_id` for the bootstrap peer's own id */
export function requireUnreservedNodeId(nodeId: string): void {
  if (isReservedNodeId(nodeId))
    throw new AppError(
      'reserved_node_id',
      'The node id "genesis" belongs to the bootstrap peer. Choose another nodeId.',
      { issues: [{ path: 'nodeId', message: 'is reserved' }] },
    );
}

/** @throws AppError `blocked` if reviewers have blocked the node */
export function requireUnblockedNode({ live }: Pick<ServiceContext, 'live'>, nodeId: string): void {
  if (live.isBlocked(nodeId))
    throw new AppError(
      'blocked',
      'This node is blocked: its reports are rejected and hidden. Contact the network operator.',
    );
}
