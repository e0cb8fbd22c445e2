import type {
  DirectoryEntry,
  RegistryEntry,
} from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { ComputeRow, PeerRow, RegistrationRow } from '#db/schema/index.ts';
import { computeStatus, computeStatusUntil, presentCompute } from '#server/computes/index.ts';
import type { ServiceContext } from '#server/context.ts';
import {
  peerStatus,
  peerStatusUntil,
  presentPeer,
  shownClass,
  shownRegion,
} from '#server/mesh/index.ts';
import type { NameIndex } from '#server/names/index.ts';

/** What the registry needs beyond the service context. */
export interface RegistryContext extends ServiceContext {
  readonly names: NameIndex;
}

/** Label, class and region of a name. */
type NodeFacts = Pick<RegistrationRow, 'label' | 'class' | 'region'>;

/** The node of a name, if it is on the map, whatever the name is registered for. */
export const shownPeer = (
  { live }: ServiceContext,
  { nodeId }: RegistrationRow,
): PeerRow | undefined => (live.nodes.isShown(nodeId) ? live.peers.get(nodeId) : undefined);

/** What the heartbeats of a name's node say while it is on the map, as everywhere; else what was registered. */
export function shownFacts(context: ServiceContext, row: RegistrationRow): NodeFacts {
  const peer = shownPeer(context, row);
  if (!peer) return { label: row.label, class: row.class, region: row.region };
  return {
    // A node without a label is shown by its id, which is no label of its name.
    label: peer.label ?? row.label,
    class: shownClass(peer),
    region: shownRegion(peer, context.config.coordinateGrid),
  };
}

/** What was registered, where the node says something else by now. */
export function registeredFacts(context: ServiceContext, row: RegistrationRow): Partial<NodeFacts> {
  const shown = shownFacts(context, row);
  return {
    ...(shown.label !== row.label && { label: row.label }),
    ...(shown.class !== row.class && { class: row.class }),
    ...(shown.region !== row.region && { region: row.region }),
  };
}

/** An active name without its node and its compute offer. */
export function directoryEntry(context: ServiceContext, row: RegistrationRow): DirectoryEntry {
  return {
    name: row.name,
    ...shownFacts(context, row),
    kinds: row.kinds,
    activatedAt: (row.activatedAt ?? row.updatedAt).toISOString(),
  };
}

/** The node and the compute offer behind an active name, for the kinds that it was registered for. */
export function liveParts(
  { live }: ServiceContext,
  { kinds, nodeId, name }: RegistrationRow,
): { peer: PeerRow | undefined; compute: ComputeRow | undefined } {
  if (!live.nodes.isShown(nodeId)) return { peer: undefined, compute: undefined };
  return {
    peer: kinds.includes('node') ? live.peers.get(nodeId) : undefined,
    compute: kinds.includes('compute') ? live.computes.get(`${nodeId}:${name}`) : undefined,
  };
}

/** An active name with its live parts at `now` (ms), by the same rules as the map and the directory. */
export function presentEntry(
  context: ServiceContext,
  row: RegistrationRow,
  now: number,
): RegistryEntry {
  const { peer, compute } = liveParts(context, row);
  return {
    ...directoryEntry(context, row),
    nodeId: row.nodeId,
    node: peer ? { status: peerStatus(peer, now), lastSeen: peer.lastSeen.toISOString() } : null,
    compute: compute
      ? {
          status: computeStatus(compute, now, context.config.computeFreshMs),
          freeSlots: compute.freeSlots,
          replicas: compute.replicas,
          lastSeen: compute.lastSeen.toISOString(),
        }
      : null,
  };
}

/** The last moment (ms) at which the entry is as it is at `now`, unless its node or compute offer reports. */
export function entryUntil(context: ServiceContext, row: RegistrationRow, now: number): number {
  const { compute } = liveParts(context, row);
  const peer = shownPeer(context, row);
  return Math.min(
    peer ? peerStatusUntil(peer, now) : Infinity,
    compute ? computeStatusUntil(compute, now, context.config.computeFreshMs) : Infinity,
  );
}

export type NameDetails = ReturnType<typeof nameDetails>;

/**
 * Everything known about one name, as of one moment. From memory, by the same rules as the lists.
 * @param name normalised
 */
export function nameDetails(context: RegistryContext, name: string, now = context.clock()) {
  const updatedAt = new Date(context.live.asOf(now)).toISOString();
  const row = context.names.active(name);
  const { peer, compute } = row ? liveParts(context, row) : {};
  return {
    updatedAt,
    /** Null if the name is not active. */
    entry: row ? presentEntry(context, row, now) : null,
    /** Whether it is active, or somebody is registering it. */
    taken: context.names.isTaken(name, now),
    /** What was registered, where its node says something else by now. */
    registered: row ? registeredFacts(context, row) : {},
    /** For the registered kinds; null if the node has never sent a heartbeat, or announced the name. */
    peer: peer ? presentPeer(peer, now, context.config.coordinateGrid) : null,
    compute: compute ? presentCompute(context, compute, now) : null,
  };
}
