import type { BlockedRow, PeerRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { OFFLINE_AFTER_MS } from './values.schema.ts';
import { UNKNOWN_REGION } from '#server/common/values.schema.ts';
import { presentGenesis } from '#server/genesis/index.ts';
import { ListAnswer, type Cursor, type Frame, type ListedAnswer } from '#server/live/index.ts';
import { isFiltered, surveyPeers, type Facets, type PeerFilter } from './mesh-query.schema.ts';
import type { MeshHead, Peer } from './mesh.schema.ts';
import { peerStatus, peerStatusUntil, presentPeer } from './peer.ts';
import { PeerTally } from './peer-tally.ts';
import { RECENT_MS, RecentPings } from './recent-pings.ts';

/** Length of the list of newest nodes on the map page. */
const NEWEST_MAX = 5;

/** One page of the peers that match a filter. */
export interface MeshList {
  head: MeshHead;
  facets: Facets;
  /** `number` from 1; `total` peers match. */
  page: { number: number; total: number; limit: number };
  peers: Peer[];
  /** The last nodes to join, newest first, whatever the filter. */
  newest: Peer[];
}

/** The mesh as GET /api/mesh, the event stream and the map page show it. */
export class MeshView {
  readonly #peers: ListAnswer<PeerRow, Cursor>;
  readonly #tally = new PeerTally();
  readonly #recent: RecentPings;

  constructor(private readonly context: ServiceContext) {
    const { live, clock } = context;
    this.#recent = new RecentPings(live);
    this.#peers = new ListAnswer<PeerRow, Cursor>({
      id: 'mesh',
      name: 'peers',
      order: (row) => row.joinedAt.getTime(),
      render(row, now, until) {
        until(peerStatusUntil(row, now));
        return JSON.stringify(presentPeer(row, now));
      },
      frame: (now) => this.#frame(now),
      version: () => `${live.peers.version}.${this.headVersion()}`,
      clock,
      worker: context.listWorker,
      onError: (error) => context.log.warn({ err: error }, 'the list worker failed'),
    });
    live.peers.follow({
      changed: (row, before) => {
        if (!live.isBlocked(row.id)) this.#show(row);
        if (before && row.rev < before.rev) this.#recent.delete(row.id);
        if (row.lastSeen.getTime() !== before?.lastSeen.getTime()) this.#recent.add(row);
      },
      removed: ({ id }) => {
        this.#hide(id);
        this.#recent.delete(id);
      },
    });
    const showOrHide = ({ id }: BlockedRow) => {
      const row = live.peers.get(id);
      if (!row) return;
      if (live.isBlocked(id)) this.#hide(id);
      else this.#show(row);
      live.peers.touch(id);
    };
    live.blocked.follow({ changed: showOrHide, removed: showOrHide });
  }

  answer(): ListedAnswer<Cursor> | Promise<ListedAnswer<Cursor>> {
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

  /**
   * One page of the peers that match, with totals and filter counts, for a document that cannot hold
   * the whole list. A page number beyond the list gives its last page.
   * @param page from 1
   * @param limit peers per page
   */
  list(filter: PeerFilter, page: number, limit: number): MeshList {
    const now = this.context.clock();
    const head = this.head(now);
    const { online, syncing, idle, offline, byClass, byRegion, peers } = head.stats;
    const pageOf = (total: number) =>
      Math.min(Math.max(page, 1), Math.max(1, Math.ceil(total / limit)));
    const present = (rows: PeerRow[]) => rows.map((row) => presentPeer(row, now));
    const newest = present(
      this.#peers.slice(Math.max(0, peers - NEWEST_MAX), NEWEST_MAX).reverse(),
    );
    if (!isFiltered(filter)) {
      const number = pageOf(peers);
      return {
        head,
        newest,
        facets: { status: { online, syncing, idle, offline }, class: byClass, region: byRegion },
        page: { number, total: peers, limit },
        peers: present(this.#peers.slice((number - 1) * limit, limit)),
      };
    }
    const { matched, facets } = surveyPeers(this.#peers.slice(0, peers), filter, now, (row) => ({
      id: row.id,
      label: row.label ?? row.id,
      class: row.class ?? 'S',
      region: row.region ?? UNKNOWN_REGION,
      status: peerStatus(row, now),
      joinedAt: row.joinedAt,
    }));
    const number = pageOf(matched.length);
    return {
      head,
      newest,
      facets,
      page: { number, total: matched.length, limit },
      peers: present(matched.slice((number - 1) * limit, number * limit)),
    };
  }

  /** The peers at one point of the coordinate grid, in the order of the list. */
  peersAt({ lat, lng }: { lat: number; lng: number }): Peer[] {
    const now = this.context.clock();
    return this.#peers
      .slice(0, Infinity)
      .filter((row) => row.lat === lat && row.lng === lng)
      .map((row) => presentPeer(row, now));
  }

  #show(row: PeerRow): void {
    this.#peers.set(row);
    this.#tally.set(row, this.context.clock());
  }

  #hide(id: string): void {
    this.#peers.delete(id);
    this.#tally.delete(id);
  }

  /** Everything but the peers, as of `now` (ms). */
  head(now: number): MeshHead {
    const totals = this.#tally.at(now);
    return {
      phase: this.context.config.phase,
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      offlineAfterMs: OFFLINE_AFTER_MS,
      stats: { total: totals.peers + 1, ...totals },
      genesis: presentGenesis(this.context),
    };
  }

  #frame(now: number): Frame<Cursor> {
    const recentPings = this.#recent.at(now);
    const oldest = recentPings.at(-1);
    return {
      head: this.head(now),
      tail: `,"recentPings":${JSON.stringify(recentPings)}`,
      until: oldest ? Date.parse(oldest.at) + RECENT_MS : Infinity,
      state: this.context.live.degraded() ? 'degraded' : '',
      mark: { version: this.context.live.peers.version, at: now, headVersion: this.headVersion() },
    };
  }
}
