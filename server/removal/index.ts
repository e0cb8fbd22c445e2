import type { ServiceContext } from '#server/common/context.ts';
import type { ComputesService } from '#server/computes/index.ts';
import type { HistoryService } from '#server/history/index.ts';
import { removeOwnNode } from './own-node.ts';
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
    /** Removes nodes that were not heard of for NODE_RETENTION_DAYS. Also runs by itself. */
    removeSilent: () => removeSilentNodes(removing),
  };
}
