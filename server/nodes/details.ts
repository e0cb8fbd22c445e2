import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { presentGenesis, presentPeer, type MeshService } from '#server/mesh/index.ts';
import type { ComputesService } from '#server/computes/index.ts';
import type { RegistryService } from '#server/registry/index.ts';
import { presentHidden } from './hidden.ts';

/** Everything known about one node, as of one moment. */
export type NodeDetails = ReturnType<typeof nodeDetails>;
export type NodeCompute = NodeDetails['computes'][number];

/** The domains that know the rest about a node. */
export interface NodeSources {
  mesh: Pick<MeshService, 'genesis'>;
  computes: Pick<ComputesService, 'ofNode'>;
  registry: Pick<RegistryService, 'ofNode'>;
}

/**
 * Everything known about one node. From memory, by the same rules as the lists.
 * @param id any text, even one that cannot be a node's id
 */
export function nodeDetails(
  context: ServiceContext,
  { mesh, computes, registry }: NodeSources,
  id: string,
  now = context.clock(),
) {
  const { config, live } = context;
  const isShown = live.nodes.isShown(id);
  const hiddenAt = live.nodes.hiddenSince(id);
  const row = isShown ? live.peers.get(id) : undefined;
  return {
    updatedAt: new Date(live.asOf(now)).toISOString(),
    /** The bootstrap peer, if `id` is its id; else null. */
    genesis: isReservedNodeId(id) ? presentGenesis({ config, genesis: mesh.genesis }) : null,
    /** Other nodes whose ids differ from this one only in the case of letters. */
    similar: live.nodes.similarTo(id),
    /** True if reviewers have blocked the node: nothing it sent is shown. */
    blocked: live.nodes.isBlocked(id),
    /** Since when it is hidden, because somebody removed it without its key, and when it is removed for good; else null. */
    hidden: hiddenAt && presentHidden(id, hiddenAt),
    /** Null if the node has never sent a heartbeat. */
    peer: row ? presentPeer(row, now, config.coordinateGrid) : null,
    /** The status in its last heartbeat, which does not become offline by itself. */
    reportedStatus: row?.status ?? null,
    /**
     * Everything it announced, by name: a node may announce without ever sending a heartbeat. What an offer runs is
     * shown once it is listed.
     */
    computes: (isShown ? computes.ofNode(id, now) : []).map(
      ({ name, image, status, replicas, freeSlots, lastSeen, listed, reason }) => {
        const runs = listed ? image : null;
        return { name, image: runs, status, replicas, freeSlots, lastSeen, listed, reason };
      },
    ),
    /** Active names registered for this node, by name. */
    names: registry.ofNode(id, now),
  };
}
