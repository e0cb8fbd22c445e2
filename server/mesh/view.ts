import type { MeshHead, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  recordFrom,
  NODE_CLASSES,
  OFFLINE_AFTER_MS,
  PEER_STATUSES,
  UNKNOWN_REGION,
} from '@mesh-registry/protocol/values.schema.ts';
import type { PeerRow } from '#db/schema/index.ts';
import {
  ListAnswer,
  type Cursor,
  type ListFrame,
  type Answer,
  ChangeStream,
} from '#server/live/index.ts';
import { Slices, sortInSlices } from '#server/common/slices.ts';
import type { ServiceContext } from '#server/context.ts';
import { presentGenesis, type GenesisMonitor } from './genesis.ts';
import {
  createMatcher,
  isFiltered,
  surveyPeers,
  type Facets,
  type Filterable,
  type NodeOrder,
  type NodeSort,
  type PeerFilter,
} from './mesh-query.schema.ts';
import { NodeTotals } from './node-totals.ts';
import {
  peerStatus,
  peerStatusUntil,
  presentPeer,
  shownClass,
  shownLabel,
  shownRegion,
} from './peer.ts';
import { placeTuple, type PlaceTuple } from './places.schema.ts';
import { PlaceIndex } from './places.ts';
import { RECENT_MS, RecentPings } from './recent-pings.ts';

/** Length of the list of newest nodes on the map page. */
const NEWEST_MAX = 5;

/** Some of the peers that match a filter. */
export interface PeerPage {
  /** `number` from 1; `total` peers match. */
  page: { number: number; total: number; limit: number };
  peers: Peer[];
}

/** One page of the peers that match a filter, with totals and filter counts. */
export interface MeshList extends PeerPage {
  head: MeshHead;
  facets: Facets;
  /** The last nodes to join, newest first, whatever the filter. */
  newest: Peer[];
}

/** The rows that match a filter, in an order, with the counts beside the filters. */
export interface FoundPeers {
  matched: PeerRow[];
  facets: Facets;
}

/** Peers in a part of a file, which is made in one turn of the event loop: some milliseconds. */
const PART = 1000;

/** What the list of nodes needs beyond the service context. */
export interface MeshContext extends ServiceContext {
  readonly genesis: GenesisMonitor;
}

/** The mesh as GET /api/mesh, the event stream and the map page show it. */
export class MeshView {
  readonly #peers: ListAnswer<PeerRow, Cursor>;
  /** The peers by place. */
  readonly places = new PlaceIndex();
  readonly #totals: NodeTotals;
  readonly #recent: RecentPings;

  constructor(private readonly context: MeshContext) {
    const { live } = context;
    const grid = context.config.coordinateGrid;
    this.#totals = new NodeTotals(this.places, grid);
    this.#recent = new RecentPings(live);
    this.#peers = new ListAnswer<PeerRow, Cursor>(context, {
      id: 'mesh',
      name: 'peers',
      order: (row) => row.joinedAt.getTime(),
      render(row, now, until) {
        until(peerStatusUntil(row, now));
        return JSON.stringify(presentPeer(row, now, grid));
      },
      frame: (now) => this.#frame(now),
      version: () => `${live.peers.version}.${this.headVersion()}`,
    });
    live.peers.follow({
      changed: (row, before) => {
        if (live.nodes.isShown(row.id)) this.#show(row);
        if (before && row.rev < before.rev) this.#recent.delete(row.id);
        if (row.lastSeen.getTime() !== before?.lastSeen.getTime()) this.#recent.add(row);
      },
      removed: ({ id }) => {
        this.#hide(id);
        this.#recent.delete(id);
      },
    });
    live.nodes.onShownOrHidden((id) => {
      const row = live.peers.get(id);
      if (!row) return;
      if (live.nodes.isShown(id)) this.#show(row);
      else this.#hide(id);
      live.peers.touch(id);
    });
  }

  answer(): Answer | Promise<Answer> {
    return this.#peers.answer();
  }

  whole() {
    return this.#peers.whole();
  }

  /** Changes whenever `head` does, except with the peers and the passage of time. */
  headVersion(): string {
    const { live, genesis } = this.context;
    return `${genesis.version}${live.degraded() ? '.degraded' : ''}`;
  }

  /** The regions of all peers, the most frequent first, without the unknown one. */
  regions(): string[] {
    return Object.entries(this.head(this.context.clock()).stats.byRegion)
      .filter(([region]) => region !== UNKNOWN_REGION)
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([region]) => region);
  }

  /**
   * One page of the peers that match, with totals and filter counts, for a document that cannot hold
   * the whole list. A page number beyond the list gives its last page.
   * @param page from 1
   * @param limit peers per page
   * @param found the peers that match, in an order of their own; by default they are in the order of the list
   */
  list(filter: PeerFilter, page: number, limit: number, found?: FoundPeers): MeshList {
    const now = this.context.clock();
    const head = this.head(now);
    const { byClass, byRegion, peers, ...stats } = head.stats;
    const present = (rows: PeerRow[]) => rows.map((row) => this.#present(row, now));
    const newest = present(
      this.#peers.slice(Math.max(0, peers - NEWEST_MAX), NEWEST_MAX).reverse(),
    );
    if (!found && !isFiltered(filter)) {
      const number = nearestPage(page, peers, limit);
      return {
        head,
        newest,
        facets: {
          status: recordFrom(PEER_STATUSES, (status) => stats[status]),
          class: byClass,
          region: byRegion,
        },
        page: { number, total: peers, limit },
        peers: present(this.#peers.slice((number - 1) * limit, limit)),
      };
    }
    const { matched, facets } = found ?? this.#survey(filter, now);
    return { head, newest, facets, ...this.#pageOf(matched, page, limit, now) };
  }

  /** The peers that match, in an order: looked through in one turn of the event loop, and sorted in several. */
  async find(filter: PeerFilter, { sort, descending }: NodeOrder): Promise<FoundPeers> {
    const now = this.context.clock();
    const { matched, facets } = this.#survey(filter, now);
    // They are in this order.
    if (sort === 'joined') return { matched: descending ? matched.reverse() : matched, facets };
    const valueOf = SORT_VALUES[sort];
    const found: { row: PeerRow; value: string | number; at: number }[] = [];
    await new Slices().each(matched, (row) => {
      found.push({ row, value: valueOf(this.#filterable(row, now), row), at: found.length });
    });
    const direction = descending ? -1 : 1;
    const sorted = await sortInSlices(found, (a, b) =>
      a.value < b.value ? -direction : a.value > b.value ? direction : a.at - b.at,
    );
    return { matched: sorted.map(({ row }) => row), facets };
  }

  /** The peers that match, in an order and in parts, for a file. */
  async *parts(filter: PeerFilter, order: NodeOrder): AsyncGenerator<Peer[], void> {
    const now = this.context.clock();
    const { matched } = await this.find(filter, order);
    for (let at = 0; at < matched.length; at += PART)
      yield matched.slice(at, at + PART).map((row) => this.#present(row, now));
  }

  #survey(filter: PeerFilter, now: number): FoundPeers {
    return surveyPeers(this.#peers.slice(0, Infinity), filter, now, (row) =>
      this.#filterable(row, now),
    );
  }

  /** One page of the matching peers at one point of the coordinate grid, in the order of the list. */
  peersAt(
    { lat, lng }: { lat: number; lng: number },
    filter: PeerFilter,
    page: number,
    limit: number,
  ): PeerPage {
    const now = this.context.clock();
    const matches = createMatcher(filter, now);
    const here = this.#peers
      .slice(0, Infinity)
      .filter((row) => row.lat === lat && row.lng === lng && matches(this.#filterable(row, now)));
    return this.#pageOf(here, page, limit, now);
  }

  /** The places of the peers that match at `now` (ms), with their counts. */
  matchingPlaces(filter: PeerFilter, now: number): PlaceTuple[] {
    const matches = createMatcher(filter, now);
    const found = new PlaceIndex();
    for (const row of this.#peers.slice(0, Infinity)) {
      const peer = this.#filterable(row, now);
      if (!matches(peer)) continue;
      const { lat, lng } = row;
      found.add(found.cell({ lat, lng, region: peer.region }, peer.status, peer.class), 1);
    }
    found.publish();
    return [...found.table.rows()].map(placeTuple);
  }

  /** How many peers there are, and how many of them joined at a moment (ms) or later. */
  countSince(moment: number): { peers: number; joined: number } {
    const { peers } = this.#totals.at(this.context.clock());
    // They are in the order in which they joined.
    let [first, end] = [0, peers];
    while (first < end) {
      const middle = Math.floor((first + end) / 2);
      const joinedAt = this.#peers.slice(middle, 1)[0]?.joinedAt.getTime() ?? Infinity;
      if (joinedAt < moment) first = middle + 1;
      else end = middle;
    }
    return { peers, joined: peers - first };
  }

  /** Brings `places` to `now` (ms), which must not go back. */
  advance(now: number): void {
    this.#totals.advance(now);
    this.places.publish();
  }

  #show(row: PeerRow): void {
    this.#peers.set(row);
    this.#totals.set(row, this.context.clock());
  }

  #hide(id: string): void {
    this.#peers.delete(id);
    this.#totals.delete(id);
  }

  /** Everything but the peers, as of `now` (ms). */
  head(now: number): MeshHead {
    const totals = this.#totals.at(now);
    const { genesis, ...moment } = this.moment(now);
    return { ...moment, stats: { total: totals.peers + 1, ...totals }, genesis };
  }

  /** The head without its totals. */
  moment(now: number): Omit<MeshHead, 'stats'> {
    return {
      phase: this.context.config.phase,
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      offlineAfterMs: OFFLINE_AFTER_MS,
      genesis: presentGenesis(this.context),
    };
  }

  #present(row: PeerRow, now: number): Peer {
    return presentPeer(row, now, this.context.config.coordinateGrid);
  }

  /** What a filter checks of a row at `now` (ms). */
  #filterable(row: PeerRow, now: number): Filterable {
    return {
      id: row.id,
      label: shownLabel(row),
      class: shownClass(row),
      region: shownRegion(row, this.context.config.coordinateGrid),
      status: peerStatus(row, now),
      joinedAt: row.joinedAt,
    };
  }

  /** A page of these rows; beyond their end, the last one. */
  #pageOf(rows: PeerRow[], page: number, limit: number, now: number): PeerPage {
    const number = nearestPage(page, rows.length, limit);
    return {
      page: { number, total: rows.length, limit },
      peers: rows.slice((number - 1) * limit, number * limit).map((row) => this.#present(row, now)),
    };
  }

  #frame(now: number): ListFrame<Cursor> {
    const recentPings = this.#recent.at(now);
    const oldest = recentPings.at(-1);
    return {
      head: this.head(now),
      tail: `,"recentPings":${JSON.stringify(recentPings)}`,
      until: oldest ? Date.parse(oldest.at) + RECENT_MS : Infinity,
      mark: { version: this.context.live.peers.version, at: now, headVersion: this.headVersion() },
    };
  }
}

/** What the orders compare, in any case of its letters. */
const SORT_VALUES: Record<
  Exclude<NodeSort, 'joined'>,
  (peer: Filterable, row: PeerRow) => string | number
> = {
  name: ({ label }) => label.toLowerCase(),
  status: ({ status }) => PEER_STATUSES.indexOf(status),
  class: (peer) => NODE_CLASSES.indexOf(peer.class),
  region: ({ region }) => region,
  seen: (_, { lastSeen }) => lastSeen.getTime(),
};

const nearestPage = (page: number, total: number, limit: number): number =>
  Math.min(Math.max(page, 1), Math.max(1, Math.ceil(total / limit)));

/** The event stream of the mesh. */
export function meshChanges(context: ServiceContext, view: MeshView) {
  const { live, config } = context;
  return new ChangeStream<PeerRow, MeshHead, Peer>(context, {
    table: live.peers,
    list: view,
    headVersion: () => view.headVersion(),
    head: (now) => view.head(now),
    aged: (row, then, now) => peerStatus(row, then) !== peerStatus(row, now),
    present: (row, now) =>
      live.nodes.isShown(row.id) ? presentPeer(row, now, config.coordinateGrid) : null,
    wasShown: () => true,
  });
}
