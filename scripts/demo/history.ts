import {
  historyDayCounts,
  historyDays,
  historyQuarters,
  nodeDays,
  outages,
} from '#db/schema/index.ts';
import {
  PEER_STATUSES,
  recordFrom,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';
import { encodePlaces, PlaceCounts, storePlaces } from '#server/uptime/index.ts';
import type { RunningServer } from '#server/server.ts';
import { between, chance, type Random } from '../fleet/random.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 96 * QUARTER_MS;
/** How far the history goes back, days. */
const DAYS = 91;
/** The share of nodes that run by day only: laptops and office machines. */
const BY_DAY = 0.2;
/** How often a node fails in a quarter of an hour, and for how many quarters at most. */
const FAILS = 0.002;
const AWAY_MAX = 40;
/** The shares of the nodes heard of that were syncing, and idle. */
const [SYNCING, IDLE] = [0.02, 0.03];
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
}

/** When each of so many nodes joined (ms), oldest first: nearly half of them before the history begins, then ever more. */
export function joinTimes(count: number, now: number): number[] {
  return Array.from({ length: count }, (_, n) => {
    const share = Math.max(0, n / count - 0.45) / 0.55;
    return Math.floor(now - (share === 0 ? DAYS : DAYS * (1 - Math.sqrt(share))) * DAY_MS);
  });
}

/**
 * Writes 90 days of history: when each node was heard of, how the network was, and where. The service was away for two
 * hours, each node for a few hours now and then, and some of them every night.
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
  const isAway = (at: number) => Math.abs(at - (end - 0.4 * DAY_MS)) < 4 * QUARTER_MS;

  // The service has recorded some itself while its clock was moved.
  await db.delete(historyQuarters);
  await db.delete(historyDays);
  await db.delete(historyDayCounts);
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

    await db.insert(historyDayCounts).values(countsOf(nodes, day));
    const places = new PlaceCounts(grid);
    const rows = nodes.flatMap((node, index) => {
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
      nodes.forEach((node, n) => heard[n]?.[(at - first) / QUARTER_MS] && counts.add(node));
      steps.push({ at, stepMs: QUARTER_MS, counts });
    }
    await storePlaces(db, await encodePlaces(steps));
  }
  const silent = nodes.flatMap((node, n) => outagesOf(node, heard[n] ?? new Uint8Array(), first));
  for (let at = 0; at < silent.length; at += ROWS)
    await db
      .insert(outages)
      .values(silent.slice(at, at + ROWS))
      .onConflictDoNothing();
  await services.uptime.load();
}

/** When a node was silent and came back, by the quarters in which it was heard of; `first` is the oldest (ms). */
function outagesOf({ nodeId, joinedAt }: PastNode, heard: Uint8Array, first: number) {
  const found = [];
  for (let n = Math.max(1, Math.ceil((joinedAt - first) / QUARTER_MS) + 1); n < heard.length; n++) {
    if (heard[n] || !heard[n - 1]) continue;
    const begin = n;
    while (n < heard.length && !heard[n]) n++;
    // One that goes on is recorded by the service itself.
    if (n === heard.length) break;
    const since = new Date(first + begin * QUARTER_MS - 20_000);
    found.push({
      nodeId,
      offlineSince: since,
      measuredSince: since,
      backAt: new Date(first + n * QUARTER_MS),
    });
  }
  return found;
}

/** For each quarter from `first` to `end` (ms), 1 if the node was heard of in it. */
function heardQuarters(node: PastNode, first: number, end: number, random: Random): Uint8Array {
  const heard = new Uint8Array((end - first) / QUARTER_MS);
  const byDay = chance(random, BY_DAY);
  let awayUntil = 0;
  heard.forEach((_, n) => {
    const at = first + n * QUARTER_MS;
    if (at < awayUntil || at + QUARTER_MS <= node.joinedAt) return;
    if (chance(random, FAILS)) awayUntil = at + between(random, 1, AWAY_MAX) * QUARTER_MS;
    const hour = (at / 3_600_000 + node.lng / 15 + 48) % 24;
    heard[n] = byDay && (hour < 7 || hour > 22) ? 0 : 1;
  });
  return heard;
}

/** The network at the end of the quarter that began at a moment (ms), the n-th. */
function totalsOf(nodes: PastNode[], heard: Uint8Array[], at: number, n: number) {
  const up = heard.reduce((sum, quarters) => sum + (quarters[n] ?? 0), 0);
  const known = nodes.filter(({ joinedAt }) => joinedAt < at + QUARTER_MS);
  const [syncing, idle] = [Math.round(up * SYNCING), Math.round(up * IDLE)];
  return {
    online: up - syncing - idle,
    syncing,
    idle,
    offline: known.length - up,
    joined: known.filter(({ joinedAt }) => joinedAt >= at).length,
    left: 0,
    freeSlots: up * 3,
  };
}

/** What else is counted of a day (ms), as if all of it was one quarter: offers and names grow with the nodes. */
function countsOf(nodes: PastNode[], day: number) {
  const there = nodes.filter(({ joinedAt }) => joinedAt < day + DAY_MS);
  const sums = new Map([['quarters', 1]]);
  const count = (name: string, nodes: number) => sums.set(name, (sums.get(name) ?? 0) + nodes);
  for (const { region, class: size = 'S' } of there) {
    count(`region:${region}`, 1);
    count(`class:${size}`, 1);
  }
  count('offers', Math.round(there.length / 8));
  count('names', Math.round(there.length / 3));
  const date = new Date(day).toISOString().slice(0, 10);
  return [...sums].map(([name, sum]) => ({ day: date, name, sum }));
}
