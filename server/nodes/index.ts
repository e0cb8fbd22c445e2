import type { Repeated } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import { detailsTag, followed } from '#server/live/index.ts';
import type { NameIndex } from '#server/names/index.ts';
import type { UptimeService } from '#server/uptime/index.ts';
import { blockedNow, blockNode, proposedBans, unblockNode, type BlockInput } from './blocked.ts';
import { nodeDetails, type NodeSources } from './details.ts';
import { removableNodes, removeMatching, type RemovalRequest } from './matching.ts';
import type { RemovalFilter } from './removal.schema.ts';
import { removeHiddenNodes, removeOwnNode } from './hidden.ts';
import { OfferNodeIndex } from './offer-nodes.ts';
import { removeSilentNodes } from './retention.ts';
import { nodeSummary } from './summary.ts';

export type { NodeCompute, NodeDetails } from './details.ts';
export type { NodeSummary } from './summary.ts';
export type { OfferNode, OfferNodes } from './offer-nodes.ts';

export type NodesService = ReturnType<typeof createNodes>;

/** How often nodes are removed that were not heard of for long, or are hidden, milliseconds. */
const REMOVE_SILENT_MS = 600_000;

interface Sources extends NodeSources {
  names: NameIndex;
  uptime: Pick<UptimeService, 'upSince' | 'monthShares' | 'monthStrips' | 'lastOutageEnd'>;
}

/** One node with all that belongs to it; how reviewers block it; and how it leaves. */
export function createNodes(context: ServiceContext, sources: Sources) {
  const removing = {
    ...context,
    names: sources.names,
    upSince: sources.uptime.upSince,
  };
  const repeats: Repeated[] = [
    {
      ms: REMOVE_SILENT_MS,
      failure: 'could not remove silent nodes',
      work: () => removeSilentNodes(removing),
    },
    {
      ms: REMOVE_SILENT_MS,
      failure: 'could not remove hidden nodes',
      work: () => removeHiddenNodes(removing),
    },
  ];
  const offerNodes = new OfferNodeIndex(context, sources.uptime);
  const details = (id: string, now?: number) => nodeDetails(context, sources, id, now);
  return {
    repeats,
    /** @param id any text, even one that cannot be a node's id */
    details,
    /** What the map says about a node besides its heartbeats. @param id any text */
    summary: (id: string) => nodeSummary(sources.uptime, id, details(id)),
    /** Identifies details: `changes` after it has only what is new. */
    detailsTag,
    changes: followed(context.ticker, details),
    /** Whether anything has been heard of the node, or it has a key or an active name. @param id any text */
    isKnown: (id: string) => context.live.nodes.isKnown(id),
    /** The ids of other nodes that differ from this one only in the case of letters. */
    similarTo: (id: string) => context.live.nodes.similarTo(id),

    /** Region and uptime of the nodes behind the compute offers, by id. */
    ofOffers: () => offerNodes.lookUp(),
    /** The same as JSON, of all of them. */
    ofOffersAnswer: () => offerNodes.answer(),

    block: (input: BlockInput) => blockNode(context, input),
    unblock: (input: BlockInput) => unblockNode(context, input),
    blocked: () => blockedNow(context),
    proposedBans: () => proposedBans(context),

    /** Removes or hides a node at the request of its operator. @throws as {@link removeOwnNode} */
    remove: (nodeId: string, signer: string | null) => removeOwnNode(removing, nodeId, signer),
    /** The nodes that a reviewer is about to remove. */
    removable: (filter: RemovalFilter) => removableNodes(removing, filter),
    removeMatching: (request: RemovalRequest) => removeMatching(removing, request),
    /** Removes nodes that were not heard of for NODE_RETENTION_DAYS. Also runs by itself. */
    removeSilent: () => removeSilentNodes(removing),
    /** Removes nodes that have been hidden for a day. Also runs by itself. */
    removeHidden: () => removeHiddenNodes(removing),
  };
}
