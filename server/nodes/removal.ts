import type { ServiceContext } from '#server/context.ts';
import type { ComputesService } from '#server/computes/index.ts';
import type { HistoryService } from '#server/uptime/index.ts';
import { removableNodes, removeMatching, type RemovalRequest } from './matching.ts';
import { removeOwnNode } from './own-node.ts';
import type { RemovalFilter } from './removal.schema.ts';
import { removeSilentNodes } from './retention.ts';

/** How nodes leave: after a long silence, by their operator, or by a reviewer. */
export function createRemoval(
  context: ServiceContext,
  sources: {
    computes: Pick<ComputesService, 'offersOf'>;
    history: Pick<HistoryService, 'upSince'>;
  },
) {
  const removing = {
    ...context,
    offersOf: sources.computes.offersOf,
    upSince: sources.history.upSince,
  };

  return {
    /** Removes a node at the request of its operator. @throws AppError `not_found`, `blocked`, `unavailable` */
    remove: (nodeId: string) => removeOwnNode(removing, nodeId),
    /** The nodes that a reviewer is about to remove. */
    removable: (filter: RemovalFilter) => removableNodes(removing, filter),
    removeMatching: (request: RemovalRequest) => removeMatching(removing, request),
    /** Removes nodes that were not heard of for NODE_RETENTION_DAYS. Also runs by itself. */
    removeSilent: () => removeSilentNodes(removing),
  };
}
