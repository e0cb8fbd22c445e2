import { Recent } from '#server/common/recent.ts';
import { createSignal } from '#server/common/rooms.ts';
import {
  fixedAnswer,
  slicedAnswer,
  SlicedAnswers,
  type Committed,
  type TextAsker,
  type TextParts,
} from '#server/live/index.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { ServiceContext, WriteOptions } from '#server/context.ts';
import { GenesisMonitor, type CheckTimes, type GenesisHealth } from './genesis.ts';
import type { MeshQuery, NodeOrder, PeerFilter } from './mesh-query.schema.ts';
import { presentPeer } from './peer.ts';
import { createPingWriter, describePing, dryPing, ping, type PingContext } from './ping.ts';
import { PlaceMap } from './place-map.ts';
import type { PlaceTuple } from './places.schema.ts';
import { dropStoredLabels } from './stored-labels.ts';
import { meshChanges, MeshView, type FoundPeers, type PeerPage } from './view.ts';

export {
  presentGenesis,
  type CheckTimes,
  type GenesisHealth,
  type GenesisMonitor,
} from './genesis.ts';
export { nodeBlocked, requireUnblockedNode, requireUnreservedNodeId } from './ping.ts';
export { peerStatus, peerStatusUntil, presentPeer, shownClass, shownRegion } from './peer.ts';
export { exactLabel, labelInstead, publishableLabel } from './label.ts';
export type { MeshList, PeerPage } from './view.ts';

/** From this many nodes on, looking through all of them takes milliseconds. */
const MANY_NODES = 1000;
/** Orders of the list, and questions about places, whose answers are remembered. */
const REMEMBERED = 8;

/** Names what is made of the nodes that match, in an order. */
const keyOf = ({ q, status, class: size, region, joined }: PeerFilter, order: NodeOrder) =>
  JSON.stringify([q, status, size, region, joined, order.sort, order.descending]);

export type MeshService = ReturnType<typeof createMesh>;

/**
 * The map: heartbeats, the list of peers and its event stream, and the bootstrap peer.
 * @param genesisCheck how Genesis is checked; the default is what the API promises
 */
export function createMesh(
  service: ServiceContext,
  {
    identity,
    genesisCheck,
  }: Pick<PingContext, 'identity'> & { genesisCheck?: CheckTimes | undefined },
) {
  const context = { ...service, identity };
  const { config, live, clock, log } = context;
  const checked = createSignal<GenesisHealth>(log);
  const committed = createSignal<Committed>(log);
  const genesis = new GenesisMonitor({
    ...genesisCheck,
    url: config.genesis.healthUrl,
    clock,
    onCheck: checked.emit,
  });
  const view = new MeshView({ ...context, genesis });
  const changes = meshChanges(context, view);
  const places = new PlaceMap(context, view);
  const recentPlaces = new Recent<PlaceTuple[]>(REMEMBERED);
  const recentOrders = new Recent<Promise<FoundPeers>>(REMEMBERED);
  const files = new SlicedAnswers();
  const description = fixedAnswer(JSON.stringify(describePing(config)));
  const writer = createPingWriter(context, committed);

  return {
    genesis,
    /** A check of Genesis has ended. */
    checked,
    /** A group of heartbeats has been committed, and the read model shows it. */
    committed,
    /** The body of GET /api/mesh. */
    answer: () => view.answer(),
    /** The body of GET /api/mesh/ping. */
    describeAnswer: () => description,
    ping: (body: unknown, options?: WriteOptions) => ping(context, writer, body, options),
    /** What `ping` would answer; nothing is stored. */
    dryPing: (body: unknown, options?: WriteOptions) => dryPing(context, body, options),
    changes: (lastEventId: string | undefined, signal: AbortSignal) =>
      changes.follow(lastEventId, signal),
    /** Where `changes` has got to: pass it as `lastEventId` to get everything after an answer made now. */
    cursor: () => changes.cursor(),
    /** The network by place, as the map draws it. */
    places: () => places.answer(),
    /** Heartbeats of the whole network in each of the last seconds, oldest first: at most a minute. */
    beats: () => places.beats(),
    placeChanges: (lastEventId: string | undefined, signal: AbortSignal) =>
      places.changes(lastEventId, signal),
    /** Where `placeChanges` has got to, as `cursor` for `changes`. */
    placesCursor: () => places.cursor(),
    /** How many nodes there are, and how many of them joined at a moment (ms) or later. */
    countSince: (moment: number) => view.countSince(moment),
    /** The totals of GET /api/mesh. */
    stats: () => view.head(clock()).stats,
    /** How many nodes a filter looks through. */
    size: () => live.peers.size,
    /**
     * The places of the nodes that match. In a large network they may be a second old: all who ask the same share them.
     * @param lookThrough called before that many nodes are looked through; it may refuse
     */
    matchingPlaces: (filter: PeerFilter, lookThrough: (nodes: number) => void) => {
      const now = clock();
      const make = () => {
        lookThrough(live.peers.size);
        return view.matchingPlaces(filter, now);
      };
      return live.peers.size < MANY_NODES
        ? make()
        : recentPlaces.get(JSON.stringify(filter), now, make);
    },
    list: (filter: PeerFilter, page: number, limit: number) => view.list(filter, page, limit),
    /**
     * The same in another order. In a large network it may be a second old: all who ask for it share it.
     * @param lookThrough called before that many nodes are looked through and sorted; it may refuse
     */
    async listInOrder(
      filter: PeerFilter,
      order: NodeOrder,
      page: number,
      limit: number,
      lookThrough: (nodes: number) => void,
    ) {
      const make = () => {
        lookThrough(live.peers.size);
        return view.find(filter, order);
      };
      const found = await (live.peers.size < MANY_NODES
        ? make()
        : recentOrders.get(keyOf(filter, order), clock(), make));
      return view.list(filter, page, limit, found);
    },
    /** When the list was last level with the database, as it says itself. */
    updatedAt: () => view.moment(clock()).updatedAt,
    /** A file of all nodes that match, in an order. Of a large network everybody who asks within a second gets the same. */
    file(
      filter: PeerFilter,
      order: NodeOrder,
      text: (peers: AsyncIterable<Peer[]>) => TextParts,
      asker: TextAsker,
    ) {
      const { size } = live.peers;
      const make = () => text(view.parts(filter, order));
      if (size >= service.listWorker.fromRows)
        return files.get(keyOf(filter, order), make, size, asker);
      asker.count(size);
      return slicedAnswer(make, asker.signal);
    },
    peersAt: (...request: Parameters<MeshView['peersAt']>) => view.peersAt(...request),
    /** The peers that the URL of the map page selects: a node, or the first `limit` at a grid point. */
    selected(query: MeshQuery, limit: number): PeerPage {
      if (query.node === null && query.at) return view.peersAt(query.at, query, 1, limit);
      const peer = query.node === null ? null : this.peer(query.node);
      const peers = peer ? [peer] : [];
      return { peers, page: { number: 1, total: peers.length, limit } };
    },
    /** The peer now; null if no node with this id ever sent a heartbeat, or the node is blocked. */
    peer(id: string) {
      const row = live.peers.get(id);
      return row && live.nodes.isShown(id)
        ? presentPeer(row, clock(), config.coordinateGrid)
        : null;
    },
    /** The regions of all peers, the most frequent first, without the unknown one. */
    regions: () => view.regions(),
    /** Besides, makes large lists, which takes a while: not at the expense of the first to ask. */
    async load() {
      const labels = await dropStoredLabels(service);
      if (labels > 0)
        service.log.info({ labels }, 'dropped stored labels that are not accepted any more');
      places.answer();
      await view.answer();
    },
    start: () => genesis.start(),
    /** Resolves once every accepted heartbeat is committed. */
    async stop() {
      genesis.stop();
      await writer.drain();
    },
  };
}
