import { eq } from 'drizzle-orm';
import {
  historyDayCounts,
  historyDays,
  historyQuarters,
  nodeDays,
  outages,
  registrations,
} from '#db/schema/index.ts';
import type { Ping } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  PEER_STATUSES,
  recordFrom,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';
import { encodePlaces, PlaceCounts, storePlaces } from '#server/uptime/index.ts';
import type { RunningServer } from '#server/server.ts';
import type { NodePlan } from '../fleet/plan.ts';
import { between, chance, type Random } from '../fleet/random.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 96 * QUARTER_MS;
/** How far the history goes back, days. */
const DAYS = 91;
/** The share of small nodes that run by day only: laptops and office machines. */
const BY_DAY = 0.12;
/** How often a node fails in a quarter of an hour, and for how many quarters at most. Most failures are short. */
const FAILS = 0.0012;
const AWAY_MAX = 60;
/** The shares of the nodes heard of that were syncing, and idle. */
const [SYNCING, IDLE] = [0.02, 0.06];
/** A heartbeat was at most so long before or after the quarter of an hour without one. */
const LOOSE_MS = QUARTER_MS / 3;
/** What is counted of the network. */
const TOTALS = [...PEER_STATUSES, 'joined', 'left', 'freeSlots'] as const;
/** Rows per statement. */
const ROWS = 1000;

/** A node with a history, at its location on the grid. */
export interface PastNode {
  nodeId: string;
  lat: number;
  lng: number;
  region: string;
  /** Default: S. */
  class?: NodeClass;
  /** ms */
  joinedAt: number;
  /** Its last heartbeat, if it sends none any more (ms). */
  silentSince?: number;
  /** When its operator removed it (ms). */
  leftAt?: number;
  /** How many compute offers it has, and how many of their slots are free on average. Default: 0. */
  offers?: number;
  freeSlots?: number;
}

/** What a node with a history says in its heartbeats. */
export type PastHeartbeat = Ping & Pick<PastNode, 'joinedAt' | 'silentSince'>;

/** When each of so many nodes joined (ms), oldest first: nearly half of them before the history begins, then ever more. */
export function joinTimes(count: number, now: number): number[] {
  return Array.from({ length: count }, (_, n) => {
    const share = Math.max(0, n / count - 0.45) / 0.55;
    // Those before the history began came over two more months.
    const days = share === 0 ? DAYS + 60 * (1 - n / count / 0.45) : DAYS * (1 - Math.sqrt(share));
    return Math.floor(now - days * DAY_MS);
  });
}

/** What the first nodes of a plan say, as many as there are moments to join at. */
export function pastHeartbeats(nodes: NodePlan[], joined: number[]): PastHeartbeat[] {
  return joined.flatMap((joinedAt, n) => {
    if (!nodes[n]) return [];
    const { computes: _, ...heartbeat } = nodes[n];
    return { ...heartbeat, joinedAt };
  });
}

/** The same nodes with the compute offers of the plan. */
export function withOffers(past: PastNode[], nodes: NodePlan[]): PastNode[] {
  const computes = new Map(nodes.map(({ nodeId, computes }) => [nodeId, computes]));
  return past.map((node) => {
    const own = computes.get(node.nodeId) ?? [];
    const freeSlots = own.reduce((sum, { maxSlots }) => sum + maxSlots / 2, 0);
    return { ...node, offers: own.length, freeSlots };
  });
}

/** The nodes of a plan that left in the last months, the first to leave first. */
export function leavers(nodes: NodePlan[], now: number): PastNode[] {
  return nodes.map(({ nodeId, lat, lng, region, class: size }, n) => {
    const leftAt = now - DAYS * DAY_MS * (1 - (n + 0.5) / nodes.length);
    const joinedAt = leftAt - (20 + ((n * 37) % 90)) * DAY_MS;
    return { nodeId, lat, lng, region, class: size, joinedAt, leftAt };
  });
}

/**
 * Has nodes join when they did, and sends the last heartbeat of those that are silent now; the others send theirs now.
 * @param setClock moves the service's clock (ms)
 * @returns the nodes as the service shows them
 */
export async function seedNodes(
  { services: { mesh } }: Pick<RunningServer, 'services'>,
  nodes: PastHeartbeat[],
  now: number,
  setClock: (ms: number) => void,
): Promise<PastNode[]> {
  const sorted = [...nodes].sort((one, other) => one.joinedAt - other.joinedAt);
  const joining = sorted.map(({ joinedAt, silentSince: _, ...heartbeat }) => {
    setClock(joinedAt);
    return mesh.ping(heartbeat);
  });
  const joined = await Promise.all(joining);
  await Promise.all(
    sorted.map(({ joinedAt: _, silentSince, ...heartbeat }) => {
      setClock(silentSince ?? now);
      return mesh.ping(heartbeat);
    }),
  );
  setClock(now);
  return joined.map(({ peer: { lat, lng, region, class: size } }, n) => {
    const { nodeId, joinedAt, silentSince } = sorted[n] as PastHeartbeat;
    return {
      ...{ nodeId, lat, lng, region, class: size, joinedAt },
      ...(silentSince !== undefined && { silentSince }),
    };
  });
}

/**
 * Writes 90 days of history: when each node was heard of, how the network was, and where. The service was away for two
 * hours, each node for minutes or hours now and then, and some of them every night. Names are counted as they are
 * registered by now; nodes that have left are counted, and shown nowhere else.
 * @param now ms
 */
export async function seedHistory(
  { database: { db }, services }: Pick<RunningServer, 'database' | 'services'>,
  nodes: PastNode[],
  now: number,
  random: Random,
): Promise<void> {
  const grid = services.config.coordinateGrid;
  const end = Math.floor(now / QUARTER_MS) * QUARTER_MS;
  const first = end - DAYS * DAY_MS;
  const heard = nodes.map((node) => heardQuarters(node, first, end, random));
  const remaining = nodes.filter(({ leftAt }) => leftAt === undefined);
  const named = await db
    .select({ at: registrations.activatedAt })
    .from(registrations)
    .where(eq(registrations.status, 'active'));
  const isAway = (at: number) => Math.abs(at - (end - 0.4 * DAY_MS)) < 4 * QUARTER_MS;

  // The service has recorded some itself while its clock was moved.
  await db.delete(historyQuarters);
  await db.delete(historyDays);
  await db.delete(historyDayCounts);
  await db.delete(nodeDays);
  await db.delete(outages);
  for (let day = Math.floor(first / DAY_MS) * DAY_MS; day < end; day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10);
    const from = Math.max(day, first);
    const quarters = Array.from(
      { length: (Math.min(day + DAY_MS, end) - from) / QUARTER_MS },
      (_, n) => from + n * QUARTER_MS,
    );
    const measured = quarters.filter((at) => !isAway(at));
    const totals = measured.map((at) => totalsOf(nodes, heard, at, (at - first) / QUARTER_MS));
    await db
      .insert(historyQuarters)
      .values(
        quarters.map((at) => ({
          quarter: new Date(at),
          claimedBy: 'seed',
          claimedAt: new Date(at),
          measured: !isAway(at),
          ...totals[measured.indexOf(at)],
        })),
      )
      .onConflictDoNothing();
    await db
      .insert(historyDays)
      .values({
        day: date,
        quarters: totals.length,
        ...recordFrom(TOTALS, (name) => totals.reduce((sum, each) => sum + each[name], 0)),
      })
      .onConflictDoNothing();

    const there = nodes.filter(
      ({ joinedAt, leftAt = Infinity }) => joinedAt < day + DAY_MS && leftAt > day,
    );
    const names = named.filter(({ at }) => at && at.getTime() < day + DAY_MS).length;
    await db.insert(historyDayCounts).values(countsOf(there, names, date));
    const places = new PlaceCounts(grid);
    const rows = nodes.flatMap((node, index) => {
      if (node.leftAt !== undefined) return [];
      const bits = new Uint8Array(12);
      let any = false;
      for (const at of measured) {
        if (!heard[index]?.[(at - first) / QUARTER_MS]) continue;
        const n = (at - day) / QUARTER_MS;
        bits[n >> 3] = (bits[n >> 3] ?? 0) | (1 << (n & 7));
        any = true;
      }
      if (any) places.add(node);
      return any ? [{ day: date, node: node.nodeId, bits }] : [];
    });
    for (let at = 0; at < rows.length; at += ROWS)
      await db
        .insert(nodeDays)
        .values(rows.slice(at, at + ROWS))
        .onConflictDoNothing();
    const steps = [{ at: day, stepMs: DAY_MS, counts: places }];
    for (const at of measured.filter((at) => at >= end - DAY_MS)) {
      const counts = new PlaceCounts(grid);
      nodes.forEach((node, n) => {
        if (node.leftAt === undefined && heard[n]?.[(at - first) / QUARTER_MS]) counts.add(node);
      });
      steps.push({ at, stepMs: QUARTER_MS, counts });
    }
    await storePlaces(db, await encodePlaces(steps));
  }
  const silent = remaining.flatMap((node) => {
    return outagesOf(node, heard[nodes.indexOf(node)] ?? new Uint8Array(), first, random);
  });
  for (let at = 0; at < silent.length; at += ROWS)
    await db
      .insert(outages)
      .values(silent.slice(at, at + ROWS))
      .onConflictDoNothing();
  await services.uptime.load();
}

/** When a node was silent and came back, by the quarters in which it was heard of; `first` is the oldest (ms). */
function outagesOf(
  { nodeId, joinedAt }: PastNode,
  heard: Uint8Array,
  first: number,
  random: Random,
) {
  const found = [];
  for (let n = Math.max(1, Math.ceil((joinedAt - first) / QUARTER_MS) + 1); n < heard.length; n++) {
    if (heard[n] || !heard[n - 1]) continue;
    const begin = n;
    while (n < heard.length && !heard[n]) n++;
    // One that goes on is recorded by the service itself.
    if (n === heard.length) break;
    const since = new Date(first + begin * QUARTER_MS - between(random, 0, LOOSE_MS));
    found.push({
      nodeId,
      offlineSince: since,
      measuredSince: since,
      backAt: new Date(first + n * QUARTER_MS + between(random, 0, LOOSE_MS)),
    });
  }
  return found;
}

/** For each quarter from `first` to `end` (ms), 1 if the node was heard of in it. */
function heardQuarters(node: PastNode, first: number, end: number, random: Random): Uint8Array {
  const heard = new Uint8Array((end - first) / QUARTER_MS);
  const byDay = (node.class ?? 'S') === 'S' && !node.offers && chance(random, BY_DAY);
  const fails = FAILS * between(random, 0, 2);
  let awayUntil = 0;
  heard.forEach((_, n) => {
    const at = first + n * QUARTER_MS;
    if (at < awayUntil || at + QUARTER_MS <= node.joinedAt) return;
    if (at >= (node.silentSince ?? node.leftAt ?? Infinity)) return;
    if (chance(random, fails))
      awayUntil = at + Math.exp(between(random, 0, Math.log(AWAY_MAX))) * QUARTER_MS;
    const hour = (at / 3_600_000 + node.lng / 15 + 48) % 24;
    heard[n] = byDay && (hour < 7 || hour > 22) ? 0 : 1;
  });
  return heard;
}

/** The network at the end of the quarter that began at a moment (ms), the n-th. */
function totalsOf(nodes: PastNode[], heard: Uint8Array[], at: number, n: number) {
  const end = at + QUARTER_MS;
  const within = (moment: number) => moment >= at && moment < end;
  const totals = recordFrom(TOTALS, () => 0);
  let [up, known, free] = [0, 0, 0];
  nodes.forEach(({ joinedAt, leftAt = Infinity, freeSlots = 0 }, index) => {
    if (within(joinedAt)) totals.joined++;
    if (within(leftAt)) totals.left++;
    if (joinedAt < end && leftAt >= end) known++;
    if (!heard[index]?.[n]) return;
    up++;
    // More of them are free at night.
    free += freeSlots * (1 + 0.15 * Math.cos((at / DAY_MS) * 2 * Math.PI));
  });
  const [syncing, idle] = [Math.round(up * SYNCING), Math.round(up * IDLE)];
  return {
    ...totals,
    ...{ online: up - syncing - idle, syncing, idle, offline: known - up },
    freeSlots: Math.round(free),
  };
}

/** What else is counted of a day on which these nodes were there, as if all of it was one quarter. */
function countsOf(there: PastNode[], names: number, day: string) {
  const sums = new Map([['quarters', 1]]);
  const count = (name: string, more: number) => sums.set(name, (sums.get(name) ?? 0) + more);
  for (const { region, class: size = 'S', offers = 0 } of there) {
    count(`region:${region}`, 1);
    count(`class:${size}`, 1);
    count('offers', offers);
  }
  count('names', names);
  return [...sums].map(([name, sum]) => ({ day, name, sum }));
}
