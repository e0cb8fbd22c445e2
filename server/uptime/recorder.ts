import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { recordFrom } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { historyDays, historyQuarters, nodeDays } from '#db/schema/index.ts';
import { Slices } from '#server/common/slices.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { addDayCounts, NodeCounts } from './day-counts.ts';
import { encodePlaces, PlaceCounts, storePlaces, type PlaceHistory } from './place-history.ts';
import type { QuarterEnds } from './quarter-ends.ts';
import { DAY_MS, dayOf, dayText, numberInDay, QUARTER_MS } from './quarters.ts';
import type { ServicePeriods } from './service-periods.ts';
import { nodesOf, type RecordedNetwork, type QuarterTotals, QUARTER_TOTALS } from './totals.ts';

/** How often a server notes that it is up and looks whether a quarter has ended, milliseconds. */
const TICK_MS = 15_000;
/** Heartbeats that other servers stored before the end of a quarter are known this much later, milliseconds. */
const GRACE_MS = 5000;
/**
 * A quarter in which the service was away for longer, in all, is not measured, milliseconds: as long as a node may be
 * silent without being offline. In what is left of the quarter every running node was heard many times.
 */
const AWAY_MAX_MS = 60_000;
/** A server that has not renewed its claim of a quarter for this long has died, milliseconds. */
const CLAIM_MS = 30_000;
/** Nodes and offers per statement: each stays well below the time-out of a statement. */
const IDS_PER_WRITE = 1000;
/** So many nodes do not fall silent for a whole quarter all at once: they could not reach the service. */
const CROWD = 10;

export interface RecorderParts {
  network: RecordedNetwork;
  places: PlaceHistory;
  periods: ServicePeriods;
  quarterEnds: QuarterEnds;
  /** Free slots of available compute offers, how many offers are announced, and active names, at a moment (ms). */
  others: (now: number) => { freeSlots: number; offers: number; names: number };
}

/** A quarter at its end, and how far it has been written. */
interface Work {
  /** Its first moment, ms. */
  quarter: number;
  /** The nodes and the compute offers that were heard of in it. */
  heard: string[];
  /** How many of them have been written. */
  written: number;
  /** How many of them are nodes. */
  heardNodes: number;
  /** Where nodes were heard of: in the quarter, and in its day until its end. */
  places: { inQuarter: PlaceCounts; inDay: PlaceCounts };
  totals: QuarterTotals;
  /** What else is counted of a day. */
  counts: Map<string, number>;
}

/**
 * Records each quarter of an hour soon after its end: which nodes and compute offers were heard of, and how the
 * network was. One server does it, the one that inserts the quarter's row first, for as long as it renews its claim. Bits
 * are written a thousand at a time; that can be repeated without harm, and what fails is tried again from there, or from
 * the first one if the database may have lost some. All that makes a quarter valid is one transaction, which counts only
 * while the claim does.
 */
export class HistoryRecorder {
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #running = Promise.resolve();
  /** When this server last noted that it is up, ms. */
  #notedAt = -Infinity;
  /** What was begun and is not recorded yet. */
  #work: Work | null = null;

  constructor(
    private readonly context: Pick<
      ServiceContext,
      'config' | 'db' | 'live' | 'clock' | 'log' | 'serverId'
    >,
    private readonly parts: RecorderParts,
  ) {}

  start(): void {
    const next = () => {
      if (this.#stopped) return;
      const toEnd = QUARTER_MS - (this.context.clock() % QUARTER_MS) + GRACE_MS;
      this.#timer = setTimeout(() => void this.tick().then(next), Math.min(TICK_MS, toEnd)).unref();
    };
    void this.tick().then(next);
  }

  /** Notes that this server is up until now. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.parts.periods.note(this.context.clock()).catch(() => undefined);
  }

  /** The database may have lost what was written: all of the quarter that is being recorded is written again. */
  startAgain(): void {
    if (this.#work) this.#work = { ...this.#work, written: 0 };
  }

  /** Notes that this server is up, and records the last quarter unless that is done. Never rejects. */
  tick(): Promise<void> {
    this.#running = this.#running.then(() => this.#tick());
    return this.#running;
  }

  async #tick(): Promise<void> {
    const { clock, log } = this.context;
    try {
      const now = clock();
      await this.#note(now);
      await this.#record(now);
    } catch (error) {
      log.warn({ err: error }, 'could not record the history, will retry');
    }
  }

  async #note(now: number): Promise<void> {
    await this.parts.periods.note(now);
    this.#notedAt = now;
  }

  async #record(now: number): Promise<void> {
    const { network, quarterEnds, periods } = this.parts;
    const end = quarterEnds.at(now);
    const quarter = end - QUARTER_MS;
    if (network.stale) await this.#refresh();
    if (network.isRecorded(quarter)) return this.#release(end);
    await this.#refresh();
    if (network.isRecorded(quarter) || now < end + GRACE_MS) return;
    // A server that does not know leaves it to one that does. If nobody knows, the quarter stays without a row.
    const isBegun = this.#work?.quarter === quarter;
    if (!isBegun && (!quarterEnds.knows(end) || this.context.live.asOf(now) < end + GRACE_MS))
      return;
    if (!(await this.#claim(quarter, now))) return;

    if ((await periods.awayMs(quarter, end)) > AWAY_MAX_MS) await this.#finish(quarter, null);
    else {
      if (!isBegun) this.#work = await this.#lookAt(quarter, now);
      if (!this.#work) return;
      if (this.#wasCutOff(this.#work)) await this.#finish(quarter, null);
      else await this.#write(this.#work);
    }
    await this.#refresh();
    if (network.isRecorded(quarter)) this.#release(end);
  }

  /** Forgets how a quarter was at its end (ms): it has been recorded. */
  #release(end: number): void {
    this.#work = null;
    this.parts.quarterEnds.release(end);
  }

  /** Reads what was recorded, by this server or another one. */
  async #refresh(): Promise<void> {
    await Promise.all([this.parts.network.refresh(), this.parts.places.refresh()]);
  }

  /** Whether everybody fell silent at once: then the way to the service was cut off. */
  #wasCutOff({ quarter, heardNodes }: Work): boolean {
    const before = this.parts.network.latest();
    if (heardNodes > 0 || before?.quarter !== quarter - QUARTER_MS) return false;
    return nodesOf(before.totals) - before.totals.offline >= CROWD;
  }

  /** @returns whether this server is the one that records the quarter */
  async #claim(quarter: number, now: number): Promise<boolean> {
    const { db, serverId } = this.context;
    const rows = await db
      .insert(historyQuarters)
      .values({ quarter: new Date(quarter), claimedBy: serverId, claimedAt: new Date(now) })
      .onConflictDoUpdate({
        target: historyQuarters.quarter,
        set: { claimedBy: sql`excluded.claimed_by`, claimedAt: sql`excluded.claimed_at` },
        setWhere: sql`${isNull(historyQuarters.measured)} and ${or(
          eq(historyQuarters.claimedBy, serverId),
          lt(historyQuarters.claimedAt, new Date(now - CLAIM_MS)),
        )}`,
      })
      .returning({ quarter: historyQuarters.quarter });
    return rows.length > 0;
  }

  /**
   * The network at the end of a quarter (ms), in slices: looking at all nodes at once would hold up everything else.
   * @returns null if that is not known any more
   */
  async #lookAt(quarter: number, now: number): Promise<Work | null> {
    const { network, quarterEnds, others } = this.parts;
    const { nodes: liveNodes } = this.context.live;
    const grid = this.context.config.coordinateGrid;
    const end = quarter + QUARTER_MS;
    const day = dayOf(quarter);
    const before = network.latest();
    const joinedSince = before ? before.quarter + QUARTER_MS : quarter;
    const totals: QuarterTotals = recordFrom(QUARTER_TOTALS, () => 0);
    const places = { inQuarter: new PlaceCounts(grid), inDay: new PlaceCounts(grid) };
    const nodes = new NodeCounts(grid);
    const heard: string[] = [];

    const slices = new Slices();
    await slices.each(quarterEnds.nodes.rows(), ({ row, state }) => {
      const seen = state.lastSeen.getTime();
      if (seen >= quarter) heard.push(row.id);
      if (!liveNodes.isShown(row.id)) return;
      if (seen >= quarter) places.inQuarter.add(row);
      if (seen >= day) places.inDay.add(row);
      totals[peerStatus(state, end)]++;
      nodes.add(row);
      if (row.joinedAt.getTime() >= joinedSince) totals.joined++;
    });
    const heardNodes = heard.length;
    await slices.each(quarterEnds.offers.rows(), ({ row, state }) => {
      if (state.lastSeen.getTime() >= quarter) heard.push(row.id);
    });
    if (!quarterEnds.knows(end)) return null;

    // Whoever is neither still there nor new has left.
    if (before) totals.left = Math.max(0, nodesOf(before.totals) + totals.joined - nodesOf(totals));
    const { freeSlots, ...counted } = others(now);
    totals.freeSlots = freeSlots;
    const counts = nodes.toRows(counted);
    return { quarter, heard, written: 0, heardNodes, places, totals, counts };
  }

  async #write(work: Work): Promise<void> {
    const { quarter, heard, places, totals, counts } = work;
    while (work.written < heard.length) {
      if (this.#stopped) return;
      await this.#keepClaim(work);
      const next = work.written + IDS_PER_WRITE;
      await setBits(this.context.db, quarter, heard.slice(work.written, next));
      work.written = next;
    }
    const steps = await encodePlaces([
      { at: quarter, stepMs: QUARTER_MS, counts: places.inQuarter },
      { at: dayOf(quarter), stepMs: DAY_MS, counts: places.inDay },
    ]);
    await this.#keepClaim(work);
    await this.#finish(quarter, { totals, counts, steps });
  }

  /**
   * Renews the claim, and notes that this server is up.
   * @throws if another server has taken the quarter over, or if the work starts again
   */
  async #keepClaim(work: Work): Promise<void> {
    const now = this.context.clock();
    if (now - this.#notedAt >= TICK_MS) await this.#note(now);
    if (!(await this.#claim(work.quarter, now)))
      throw new Error('another server records the quarter now');
    if (this.#work !== work) throw new Error('the database may have lost some of the quarter');
  }

  /** Makes the quarter valid, unless another server has taken it over. @param recorded null: it was not measured */
  async #finish(
    quarter: number,
    recorded:
      | (Pick<Work, 'totals' | 'counts'> & { steps: Awaited<ReturnType<typeof encodePlaces>> })
      | null,
  ): Promise<void> {
    const { db, serverId } = this.context;
    await db.transaction(async (tx) => {
      const finished = await tx
        .update(historyQuarters)
        .set({ measured: recorded !== null, ...recorded?.totals })
        .where(
          and(
            eq(historyQuarters.quarter, new Date(quarter)),
            eq(historyQuarters.claimedBy, serverId),
            isNull(historyQuarters.measured),
          ),
        )
        .returning({ quarter: historyQuarters.quarter });
      if (finished.length === 0 || !recorded) return;
      const { totals, counts, steps } = recorded;
      await storePlaces(tx, steps);
      await tx
        .insert(historyDays)
        .values({ day: dayText(quarter), quarters: 1, ...totals })
        .onConflictDoUpdate({
          target: historyDays.day,
          set: {
            quarters: sql`${historyDays.quarters} + 1`,
            ...recordFrom(
              QUARTER_TOTALS,
              (name) => sql`${historyDays[name]} + excluded.${sql.identifier(toSnakeCase(name))}`,
            ),
          },
        });
      await addDayCounts(tx, dayText(quarter), counts);
    });
  }
}

/** Notes that these nodes and compute offers were heard of in a quarter (ms). */
async function setBits(db: Db, quarter: number, heard: string[]): Promise<void> {
  const bit = numberInDay(quarter);
  // They are sorted, so that two servers lock the rows in the same order.
  const ids = sql.param([...heard].sort());
  await db
    .insert(nodeDays)
    .select(
      sql`select ${dayText(quarter)}::date, t.node, set_bit('\\x000000000000000000000000'::bytea, ${bit}::int4, 1)
        from unnest(${ids}::text[]) as t(node)`,
    )
    .onConflictDoUpdate({
      target: [nodeDays.day, nodeDays.node],
      set: { bits: sql`set_bit(${nodeDays.bits}, ${bit}::int4, 1)` },
    });
}
