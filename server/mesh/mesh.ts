import { sanitizeLabel } from './label.ts';
import { AnswerCache, type Answer } from '#server/live/answer-cache.ts';
import type { PeerRow } from '#server/live/read-model.ts';
import { PagedJson } from '#server/live/paged-json.ts';
import { AppError, invalid, parse } from '#server/common/errors.schema.ts';
import { isReservedNodeId } from '#server/common/fields.schema.ts';
import { isFiltered, surveyPeers, type Facets, type PeerFilter } from './mesh-query.schema.ts';
import {
  Ping,
  PING_FIELDS,
  type Genesis,
  type MeshHead,
  type MeshStats,
  type Peer,
  type PingAnswer,
  type RecentPing,
} from './mesh.schema.ts';
import {
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
  UNKNOWN_REGION,
  type PeerStatus,
} from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { quantize } from './grid.ts';

const RECENT_MS = 45_000;
const RECENT_MAX = 24;

/** The status at `now`: what the node said, or offline once its last heartbeat is more than 60 s old. */
export function peerStatus(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): PeerStatus {
  return now - row.lastSeen.getTime() > OFFLINE_AFTER_MS ? 'offline' : row.status;
}

/** The last moment (ms) at which the row still has the status that it has at `now`. */
export function peerStatusUntil(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): number {
  const lastMoment = row.lastSeen.getTime() + OFFLINE_AFTER_MS;
  return row.status === 'offline' || now > lastMoment ? Infinity : lastMoment;
}

export function presentPeer(row: PeerRow, now: number): Peer {
  return {
    id: row.id,
    label: row.label ?? row.id,
    class: row.class ?? 'S',
    region: row.region ?? UNKNOWN_REGION,
    status: peerStatus(row, now),
    role: 'peer',
    joinedAt: row.joinedAt.toISOString(),
    lastSeen: row.lastSeen.toISOString(),
    lat: row.lat,
    lng: row.lng,
  };
}

/**
 * Keeps of a body what a ping may have: unknown keys and nested values are dropped and named, wrong
 * values of known keys are refused, the label is cleaned.
 */
function readPing(body: unknown): { ping: Ping; dropped: string[] } {
  const dropped: string[] = [];
  let kept: unknown = body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const entries = Object.entries(body).filter(([key, value]) => {
      const keep =
        (PING_FIELDS as string[]).includes(key) && (typeof value !== 'object' || value === null);
      if (!keep) dropped.push(key);
      return keep;
    });
    kept = Object.fromEntries(entries);
  }
  const { label: raw, ...ping } = parse(Ping, kept, 'invalid_body');
  if (isReservedNodeId(ping.nodeId)) throw reservedNodeId();
  const label = publishableLabel(raw);
  if (raw !== undefined && label === null) dropped.push('label');
  return { ping: label === null ? ping : { ...ping, label }, dropped };
}

export const reservedNodeId = () =>
  new AppError(
    'reserved_node_id',
    'The node id "genesis" belongs to the bootstrap peer. Choose another nodeId.',
    {
      issues: [{ path: 'nodeId', message: 'is reserved' }],
    },
  );

/** @throws AppError `blocked` */
export function requireUnblocked({ live }: ServiceContext, nodeId: string): void {
  if (live.isBlocked(nodeId))
    throw new AppError(
      'blocked',
      'This node is blocked: nothing of it is taken or shown. Ask whoever runs the network.',
    );
}

/** The label as it may be published; null where none was given or nothing publishable is in it. */
export function publishableLabel(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const result = sanitizeLabel(raw);
  if (result.ok) return result.label;
  if (result.reason === 'too_long')
    throw invalid('invalid_body', [{ path: 'label', message: 'must be at most 64 characters' }]);
  return null;
}

/**
 * A heartbeat. Resolves after the row is committed and the read model shows it.
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `unavailable`
 */
export async function ping(s: ServiceContext, body: unknown, now = s.clock()): Promise<PingAnswer> {
  const { ping, dropped } = readPing(body);
  requireUnblocked(s, ping.nodeId);
  const { row, isNew } = await s.pings.write({
    id: ping.nodeId,
    label: ping.label ?? null,
    class: ping.class ?? null,
    region: ping.region ?? null,
    status: ping.status ?? 'online',
    ...quantize(ping.lat, ping.lng, s.config.coordinateGrid),
    at: now,
  });
  return {
    ok: true,
    isNew,
    message: isNew
      ? 'Welcome. Your node is on the map; a public name is registered apart from this.'
      : 'Heartbeat stored.',
    peer: presentPeer(row, s.clock()),
    dropped,
    nextPingMs: NEXT_PING_MS,
  };
}

export function presentGenesis(s: ServiceContext): Genesis {
  const { label, region, lat, lng, since } = s.config.genesis;
  const { status, checkedAt, lastSeen, latencyMs } = s.genesis.health;
  const time = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString());
  return {
    id: 'genesis',
    label,
    class: 'L',
    region,
    role: 'genesis',
    status,
    lat,
    lng,
    joinedAt: since?.toISOString() ?? null,
    lastSeen: time(lastSeen),
    checkedAt: time(checkedAt),
    latencyMs,
  };
}

/** Newest nodes that a page shows. */
const NEWEST = 5;

export interface MeshList {
  head: MeshHead;
  facets: Facets;
  /** `number` from 1; `total` peers match. */
  page: { number: number; total: number; limit: number };
  peers: Peer[];
  /** The last to join, newest first, whatever the filter. */
  newest: Peer[];
}

type Tally = Pick<MeshStats, PeerStatus | 'byClass' | 'byRegion'>;
const emptyTally = (): Tally => ({
  online: 0,
  syncing: 0,
  idle: 0,
  offline: 0,
  byClass: { S: 0, M: 0, L: 0 },
  // No prototype: a region may be called anything that matches its pattern.
  byRegion: Object.create(null) as Record<string, number>,
});

/** The mesh as GET /api/mesh and the event stream show it. */
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
  /** The newest pings, newest first. */
  #recent: PeerRow[] = [];
  readonly #answer: AnswerCache;

  constructor(private readonly s: ServiceContext) {
    s.live.peers.follow((row, before) => {
      if (!s.live.isBlocked(row.id)) this.#peers.set(row);
      if (row.lastSeen.getTime() !== before?.lastSeen.getTime()) this.#remember(row);
    });
    s.live.blocked.follow(({ id }) => {
      const row = s.live.peers.get(id);
      if (!row) return;
      if (s.live.isBlocked(id)) this.#peers.delete(id);
      else this.#peers.set(row);
      s.live.peers.touch(id);
    });
    this.#answer = new AnswerCache({
      clock: s.clock,
      epoch: s.serverId,
      version: () => this.version(),
      make: (now) => this.#make(now),
    });
  }

  answer(): Answer {
    return this.#answer.get();
  }

  /** Changes whenever the mesh may have changed by anything but the passing of time. */
  version(): string {
    const { live, genesis, clock } = this.s;
    return `${live.peers.version}.${genesis.version}${live.degraded(clock()) ? '.degraded' : ''}`;
  }

  /**
   * One page of the list with its totals, for a document that cannot hold all of it: the peers that
   * match, `limit` to a page, and what the filters beside them count. A page beyond the list is its last.
   */
  list(filter: PeerFilter, page: number, limit: number): MeshList {
    const now = this.s.clock();
    const head = this.head(now);
    const { online, syncing, idle, offline, byClass, byRegion, peers } = head.stats;
    const pageOf = (total: number) =>
      Math.min(Math.max(page, 1), Math.max(1, Math.ceil(total / limit)));
    const present = (rows: PeerRow[]) => rows.map((row) => presentPeer(row, now));
    const newest = present(this.#peers.slice(Math.max(0, peers - NEWEST), NEWEST).reverse());
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

  at({ lat, lng }: { lat: number; lng: number }): Peer[] {
    const now = this.s.clock();
    return this.#peers
      .slice(0, Infinity)
      .filter((row) => row.lat === lat && row.lng === lng)
      .map((row) => presentPeer(row, now));
  }

  /** Everything but the rows, as of `now`. */
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
      phase: this.s.config.phase,
      updatedAt: new Date(this.s.live.asOf(now)).toISOString(),
      offlineAfterMs: OFFLINE_AFTER_MS,
      stats: { total: count + 1, peers: count, ...sum },
      genesis: presentGenesis(this.s),
    };
  }

  #make(now: number): { json: Buffer; until: number } {
    const { chunks, count, tallies, until } = this.#peers.at(now);
    const head = this.#head(now, count, tallies);
    const recentPings = this.#recentAt(now);
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

  /** Rows come in the order of their commits, which is nearly that of their pings. */
  #remember(row: PeerRow): void {
    const at = row.lastSeen.getTime();
    let place = 0;
    while (place < this.#recent.length && (this.#recent[place]?.lastSeen.getTime() ?? 0) > at)
      place++;
    if (place >= RECENT_MAX) return;
    this.#recent.splice(place, 0, row);
    if (this.#recent.length > RECENT_MAX) this.#recent.length = RECENT_MAX;
  }

  #recentAt(now: number): RecentPing[] {
    return this.#recent
      .filter(
        ({ id, lastSeen }) => now - lastSeen.getTime() <= RECENT_MS && !this.s.live.isBlocked(id),
      )
      .map((row) => ({
        id: row.id,
        label: row.label ?? row.id,
        lat: row.lat,
        lng: row.lng,
        at: row.lastSeen.toISOString(),
        isNew: row.joinedAt.getTime() === row.lastSeen.getTime(),
      }));
  }
}
