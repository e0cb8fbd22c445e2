import type { ServiceContext } from '#server/context.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { AnnouncedRow } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { ComputesService } from '#server/computes/index.ts';
import { presentGenesis, presentPeer, type MeshService } from '#server/mesh/index.ts';
import type { RegistryService } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';

/**
 * A compute offer on the page of its node: whether it is there and listed. What it runs is shown in the
 * directory only, once it is listed.
 */
export type NodeCompute = Pick<
  AnnouncedRow,
  'name' | 'status' | 'replicas' | 'freeSlots' | 'lastSeen' | 'listed' | 'reason'
>;

/** Everything known about one node, as of one moment. */
export interface NodeDetails {
  updatedAt: string;
  /** The bootstrap peer, if `id` is its id; else null. */
  genesis: Genesis | null;
  /** True if reviewers have blocked the node: nothing it sent is shown. */
  blocked: boolean;
  /** Null if the node has never sent a heartbeat. */
  peer: Peer | null;
  /** The status in its last heartbeat, which does not become offline by itself. */
  reportedStatus: PeerStatus | null;
  /** Everything it announced, by name. A node may announce without ever sending a heartbeat. */
  computes: NodeCompute[];
  /** Active names registered for this node, by name. */
  names: RegistryEntry[];
}

/** The domains that know the rest about a node. */
export interface NodeSources {
  mesh: Pick<MeshService, 'genesis'>;
  computes: Pick<ComputesService, 'ofNode'>;
  registry: Pick<RegistryService, 'ofNode'>;
}

/**
 * From memory, by the same rules as the lists.
 * @param id any text, even one that cannot be a node's id
 */
export function nodeDetails(
  context: ServiceContext,
  { mesh, computes, registry }: NodeSources,
  id: string,
  now = context.clock(),
): NodeDetails {
  const { config, live } = context;
  const blocked = live.isBlocked(id);
  const row = blocked ? undefined : live.peers.get(id);
  return {
    updatedAt: new Date(live.asOf(now)).toISOString(),
    genesis: isReservedNodeId(id) ? presentGenesis({ config, genesis: mesh.genesis }) : null,
    blocked,
    peer: row ? presentPeer(row, now) : null,
    reportedStatus: row?.status ?? null,
    computes: (blocked ? [] : computes.ofNode(id, now)).map(
      ({ name, status, replicas, freeSlots, lastSeen, listed, reason }) => {
        return { name, status, replicas, freeSlots, lastSeen, listed, reason };
      },
    ),
    names: registry.ofNode(id, now),
  };
}
