import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { recordFrom } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { historyDays, historyQuarters, nodeDays } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { PlaceCounts, type PlaceHistory } from './place-history.ts';
import type { QuarterEnds } from './quarter-ends.ts';
import { dayOf, dayText, numberInDay, QUARTER_MS } from './quarters.ts';
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
/** A server that has claimed a quarter and not recorded it for this long has died, milliseconds. */
const CLAIM_MS = 30_000;
/** Nodes and offers per statement: each stays well below the time-out of a statement. */
const IDS_PER_WRITE = 5000;
/** So many nodes do not fall silent for a whole quarter all at once: they could not reach the service. */
const CROWD = 10;

export interface RecorderParts {
  network: RecordedNetwork;
  places: PlaceHistory;
  periods: ServicePeriods;
  quarterEnds: QuarterEnds;
  /** Free slots of available compute offers at a moment (ms). */
  freeSlots: (now: number) => number;
}

/**
 * Records each quarter of an hour soon after its end: which nodes and compute offers were heard of, and how the
 * network was. One server
 * does it, the one that inserts the quarter's row first. Bits are written a few thousand at a time; that can be
 * repeated without harm, so a quarter is valid once its row says so, which is written last.
 */
export class HistoryRecorder {
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #running = Promise.resolve();

  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'live' | 'clock' | 'log' | 'serverId'>,
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

  /** Notes that this server is up, and records the last quarter unless that is done. Never rejects. */
  tick(): Promise<void> {
    this.#running = this.#running.then(() => this.#tick());
    return this.#running;
  }

  async #tick(): Promise<void> {
    const { clock, log } = this.context;
    try {
      const now = clock();
      await this.parts.periods.note(now);
      await this.#record(now);
    } catch (error) {
      log.warn({ err: error }, 'could not record the history, will retry');
    }
  }

  async #record(now: number): Promise<void> {
    const { network, quarterEnds, periods } = this.parts;
    const end = quarterEnds.at(now);
    const quarter = end - QUARTER_MS;
    if (network.stale) await this.#refresh();
    if (network.isRecorded(quarter)) return quarterEnds.release(end);
    await this.#refresh();
    if (network.isRecorded(quarter) || now < end + GRACE_MS) return;
    // A server that does not know leaves it to one that does. If nobody knows, the quarter stays without a row.
    if (!quarterEnds.knows(end) || this.context.live.asOf(now) < end + GRACE_MS) return;
    if (!(await this.#claim(quarter, now))) return;

    const away = await periods.awayMs(quarter, end);
    const measured = away <= AWAY_MAX_MS && !this.#cutOff(quarter, end);
    if (measured) await this.parts.places.record(quarter, await this.#writeBits(quarter));
    await this.#finish(quarter, measured ? this.#totals(end, now) : null);
    await this.#refresh();
    quarterEnds.release(end);
  }

  /** Reads what was recorded, by this server or another one. */
  async #refresh(): Promise<void> {
    await Promise.all([this.parts.network.refresh(), this.parts.places.refresh()]);
  }

  /** Whether everybody fell silent at once: then the way to the service was cut off. */
  #cutOff(quarter: number, end: number): boolean {
    const before = this.parts.network.latest();
    if (before?.quarter !== quarter - QUARTER_MS) return false;
    if (nodesOf(before.totals) - before.totals.offline < CROWD) return false;
    for (const { state } of this.parts.quarterEnds.nodes.rows())
      if (state.lastSeen.getTime() >= end - QUARTER_MS) return false;
    return true;
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

  /** @returns where nodes were heard of in the quarter, and in its day until its end */
  async #writeBits(quarter: number): Promise<{ quarter: PlaceCounts; day: PlaceCounts }> {
    const { nodes, offers } = this.parts.quarterEnds;
    const counts = { quarter: new PlaceCounts(), day: new PlaceCounts() };
    const day = dayOf(quarter);
    let heard: string[] = [];
    const write = async () => {
      if (heard.length > 0) await setBits(this.context.db, quarter, heard);
      heard = [];
    };
    // Written on the way: counting all nodes at once would hold up everything else.
    for (const { row, state } of nodes.rows()) {
      const seen = state.lastSeen.getTime();
      if (seen >= day && this.context.live.nodes.isShown(row.id)) {
        counts.day.add(row);
        if (seen >= quarter) counts.quarter.add(row);
      }
      if (seen >= quarter && heard.push(row.id) >= IDS_PER_WRITE) await write();
    }
    for (const { row, state } of offers.rows())
      if (state.lastSeen.getTime() >= quarter && heard.push(row.id) >= IDS_PER_WRITE) await write();
    await write();
    return counts;
  }

  /** The network at the end of a quarter. */
  #totals(end: number, now: number): QuarterTotals {
    const { network, quarterEnds, freeSlots } = this.parts;
    const before = network.latest();
    const joinedSince = before ? before.quarter + QUARTER_MS : end - QUARTER_MS;
    const totals: QuarterTotals = recordFrom(QUARTER_TOTALS, () => 0);
    for (const { row, state } of quarterEnds.nodes.rows()) {
      if (!this.context.live.nodes.isShown(row.id)) continue;
      totals[peerStatus(state, end)]++;
      if (row.joinedAt.getTime() >= joinedSince) totals.joined++;
    }
    // Whoever is neither still there nor new has left.
    if (before) totals.left = Math.max(0, nodesOf(before.totals) + totals.joined - nodesOf(totals));
    return { ...totals, freeSlots: freeSlots(now) };
  }

  /** Makes the quarter valid, unless another server has taken it over. @param totals null: not measured */
  async #finish(quarter: number, totals: QuarterTotals | null): Promise<void> {
    const { db, serverId } = this.context;
    await db.transaction(async (tx) => {
      const finished = await tx
        .update(historyQuarters)
        .set({ measured: totals !== null, ...totals })
        .where(
          and(
            eq(historyQuarters.quarter, new Date(quarter)),
            eq(historyQuarters.claimedBy, serverId),
            isNull(historyQuarters.measured),
          ),
        )
        .returning({ quarter: historyQuarters.quarter });
      if (finished.length === 0 || !totals) return;
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
