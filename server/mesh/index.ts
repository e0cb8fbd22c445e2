import type { NewIdLimit, ServiceContext } from '#server/common/context.ts';
import { fixedAnswer, type GroupObserver } from '#server/live/index.ts';
import { meshChanges } from './changes.ts';
import { describePing } from './ping-description.ts';
import type { PeerFilter } from './mesh-query.schema.ts';
import { nodeDetails, type NodeSources } from './node.ts';
import { presentPeer } from './peer.ts';
import { ping } from './ping.ts';
import { createPingWriter } from './ping-writer.ts';
import { unnamedNodes } from './unnamed-nodes.ts';
import { MeshView } from './view.ts';

export { requireUnblockedNode, requireUnreservedNodeId } from './node-id.ts';
export { peerStatus, peerStatusUntil, presentPeer } from './peer.ts';
export { publishableLabel } from './label.ts';
export type { NodeCompute, NodeDetails } from './node.ts';
export type { UnnamedNode, UnnamedNodes } from './unnamed-nodes.ts';
export type { MeshList } from './view.ts';

export type MeshService = ReturnType<typeof createMesh>;

/** The map: heartbeats, the list of peers and its event stream, and nodes one by one. */
export function createMesh(context: ServiceContext, sources: NodeSources, observer: GroupObserver) {
  const { config, live, clock } = context;
  const view = new MeshView(context);
  const changes = meshChanges(context, view);
  const description = fixedAnswer(JSON.stringify(describePing(config)));
  const writer = createPingWriter(context, observer);

  return {
    /** The body of GET /api/mesh. */
    answer: () => view.answer(),
    /** The body of GET /api/mesh/ping. */
    describeAnswer: () => description,
    ping: (body: unknown, newNodes?: NewIdLimit) => ping(context, writer, body, newNodes),
    changes: (lastEventId: string | undefined, signal: AbortSignal) =>
      changes.follow(lastEventId, signal),
    /** Where `changes` has got to: pass it as `lastEventId` to get everything after an answer made now. */
    cursor: () => changes.cursor(),
    list: (filter: PeerFilter, page: number, limit: number) => view.list(filter, page, limit),
    peersAt: (position: { lat: number; lng: number }) => view.peersAt(position),
    /** The peer now; null if no node with this id ever sent a heartbeat, or the node is blocked. */
    peer(id: string) {
      const row = live.peers.get(id);
      return row && !live.isBlocked(id) ? presentPeer(row, clock()) : null;
    },
    node: (id: string, now?: number) => nodeDetails(context, sources, id, now),
    /** Nodes that are online and have no name. @param q part of an id or label; empty: all */
    unnamedNodes: (q: string) => unnamedNodes(context, q, clock()),
    /** Resolves once every accepted heartbeat is committed. */
    drain: () => writer.drain(),
  };
}
