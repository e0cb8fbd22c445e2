import type { PeerRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { OFFLINE_AFTER_MS, type PeerStatus } from './values.schema.ts';
import { UNKNOWN_REGION } from '#server/common/values.schema.ts';
import { presentGenesis } from '#server/genesis/index.ts';
import { AnswerCache, PagedJson, type Answer, type Content } from '#server/live/index.ts';
import { isFiltered, surveyPeers, type Facets, type PeerFilter } from './mesh-query.schema.ts';
import type { MeshHead, MeshStats, Peer } from './mesh.schema.ts';
import { peerStatus, peerStatusUntil, presentPeer } from './peer.ts';
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

type Tally = Pick<MeshStats, PeerStatus | 'byClass' | 'byRegion'>;

const emptyTally = (): Tally => ({
  online: 0,
  syncing: 0,
  idle: 0,
  offline: 0,
  byClass: { S: 0, M: 0, L: 0 },
  // No prototype: a region may have any name that matches its pattern.
  byRegion: Object.create(null) as Record<string, number>,
});

/** The mesh as GET /api/mesh, the event stream and the map page show it. */
export class MeshView {
  readonly #peers = new PagedJson<PeerRow, Tally>({
    compare: (a, b) => a.joinedAt.getTime() - b.joinedAt.getTime() || (a.id < b.id ? -1 : 1),
    tally: emptyTally,
    render(row, now, tally, until) {
      const peer = presentPeer(row, now);
      tally[peer.status]++;
      tally.byClass[peer.class]++;
      tally.byRegion[peer.region] = (tally.byRegion[peer.region] ?? 0) + 1;
      until(peerStatusUntil(row, now));
      return JSON.stringify(peer);
    },
  });
  readonly #recent: RecentPings;
  readonly #answer: AnswerCache;

  constructor(private readonly context: ServiceContext) {
    const { live, clock, serverId } = context;
    this.#recent = new RecentPings(live);
    live.peers.follow((row, before) => {
      if (!live.isBlocked(row.id)) this.#peers.set(row);
      if (row.lastSeen.getTime() !== before?.lastSeen.getTime()) this.#recent.add(row);
    });
    live.blocked.follow(({ id }) => {
      const row = live.peers.get(id);
      if (!row) return;
      if (live.isBlocked(id)) this.#peers.delete(id);
      else this.#peers.set(row);
      live.peers.touch(id);
    });
    this.#answer = new AnswerCache({
      clock,
      epoch: serverId,
      version: () => this.version(),
      make: (now) => this.#make(now),
    });
  }

  answer(): Answer {
    return this.#answer.get();
  }

  /** Changes whenever the mesh may have changed, except by the passage of time. */
  version(): string {
    const { live, genesis, clock } = this.context;
    return `${live.peers.version}.${genesis.version}${live.degraded(clock()) ? '.degraded' : ''}`;
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

  /** Everything but the peers, as of `now` (ms). */
  head(now: number): MeshHead {
    const { count, tallies } = this.#peers.at(now);
    return this.#head(now, count, tallies);
  }

  #head(now: number, count: number, tallies: Tally[]): MeshHead {
    const sum = emptyTally();
    for (const tally of tallies) {
      sum.online += tally.online;
      sum.syncing += tally.syncing;
      sum.idle += tally.idle;
      sum.offline += tally.offline;
      for (const size of ['S', 'M', 'L'] as const) sum.byClass[size] += tally.byClass[size];
      for (const [region, n] of Object.entries(tally.byRegion))
        sum.byRegion[region] = (sum.byRegion[region] ?? 0) + n;
    }
    return {
      phase: this.context.config.phase,
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      offlineAfterMs: OFFLINE_AFTER_MS,
      stats: { total: count + 1, peers: count, ...sum },
      genesis: presentGenesis(this.context),
    };
  }

  #make(now: number): Content {
    const { chunks, count, tallies, until } = this.#peers.at(now);
    const head = this.#head(now, count, tallies);
    const recentPings = this.#recent.at(now);
    const oldest = recentPings.at(-1);
    return {
      json: Buffer.concat([
        Buffer.from(`${JSON.stringify(head).slice(0, -1)},"peers":[`),
        ...chunks,
        Buffer.from(`],"recentPings":${JSON.stringify(recentPings)}}`),
      ]),
      until: oldest ? Math.min(until, Date.parse(oldest.at) + RECENT_MS) : until,
    };
  }
}
