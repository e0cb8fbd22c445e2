import { and, gte, isNotNull } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type {
  HistoryDays,
  NetworkHistory,
  NetworkStep,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import { recordFrom, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { historyDayCounts, historyDays, historyQuarters } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { fixedAnswer, type Answer } from '#server/live/index.ts';
import { dayMeans, type DayMeans } from './day-counts.ts';
import type { Period } from './day-strip.ts';
import {
  DAY_MS,
  dayText,
  historyHead,
  iso,
  QUARTER_MS,
  quarterOf,
  stepsOf,
  WINDOW_NAMES,
  WINDOWS,
} from './quarters.ts';

/** How long the end of a quarter may take to be recorded before it counts as not measured, milliseconds. */
const SETTLE_MS = 120_000;
/** A quarter that takes long to record may appear after the next one: this much is read again, milliseconds. */
const READ_AGAIN_MS = 4 * QUARTER_MS;
/** How far back quarters are shown, and so kept in memory, milliseconds: 90 days, and what is left of the first of them. */
export const SHOWN_MS = 91 * DAY_MS;
/** How far back the numbers of days are kept, and are in memory, milliseconds: a year, and the day to compare it with. */
export const DAYS_KEPT_MS = 366 * DAY_MS;

/** Answers that stay in memory: the newest one for each number of days. */
const ANSWERS_MAX = 4;

/** Numbers at the end of a quarter, or added up over the quarters of a day. */
export const QUARTER_TOTALS = [...PEER_STATUSES, 'joined', 'left', 'freeSlots'] as const;
type QuarterTotal = (typeof QUARTER_TOTALS)[number];
export type QuarterTotals = Record<QuarterTotal, number>;
/** The API adds these up over a day; of the others it shows the mean. */
const ADDED: ReadonlySet<QuarterTotal> = new Set<QuarterTotal>(['joined', 'left']);

/** How many nodes there were, whatever their status. */
export const nodesOf = (totals: QuarterTotals) =>
  PEER_STATUSES.reduce((sum, status) => sum + totals[status], 0);

/** What has been recorded about the network, in memory: the same on every server that has read the same rows. */
export class RecordedNetwork {
  /** Each quarter by its start (ms), oldest first; null: not measured. */
  readonly #quarters = new Map<number, QuarterTotals | null>();
  readonly #days = new Map<string, QuarterTotals & { quarters: number }>();
  /** More of each day, by name. */
  readonly #counts = new Map<string, Map<string, number>>();
  /** The first quarter that was measured, ms. */
  #first = Infinity;
  readonly #answers = new LRUCache<string, Answer>({ max: ANSWERS_MAX });
  #gaps: { key: string; periods: Period[] } = { key: '', periods: [] };
  #version = 0;
  /** Whether everything must be read again. */
  #stale = true;

  constructor(
    private readonly db: Db,
    private readonly clock: () => number,
  ) {}

  /** Changes with every quarter that is read. */
  get version(): number {
    return this.#version;
  }

  /** Whether something may have been recorded, or lost, that was not read. */
  get stale(): boolean {
    return this.#stale;
  }

  /** Call when the database may have lost what was read: everything is read again. */
  reload(): void {
    this.#stale = true;
  }

  /** Reads what has been recorded since the last time. @throws AppError `unavailable` */
  async refresh(): Promise<void> {
    const now = this.clock();
    const oldest = now - SHOWN_MS;
    const whole = this.#stale;
    const latest = whole ? -Infinity : (this.latest()?.quarter ?? -Infinity);
    const since = new Date(Math.max(oldest, latest - READ_AGAIN_MS));
    const sinceDay = dayText(whole ? now - DAYS_KEPT_MS : since.getTime());
    const [quarters, days, counts] = await withRetry(() =>
      Promise.all([
        this.db
          .select()
          .from(historyQuarters)
          .where(and(gte(historyQuarters.quarter, since), isNotNull(historyQuarters.measured)))
          .orderBy(historyQuarters.quarter),
        this.db.select().from(historyDays).where(gte(historyDays.day, sinceDay)),
        this.db.select().from(historyDayCounts).where(gte(historyDayCounts.day, sinceDay)),
      ]),
    );
    if (whole) {
      this.#quarters.clear();
      this.#days.clear();
      this.#counts.clear();
      this.#first = Infinity;
      this.#stale = false;
      this.#version++;
    }
    for (const { day, ...totals } of days) this.#days.set(day, totals);
    for (const { day, name, sum } of counts) {
      const ofDay = this.#counts.get(day) ?? new Map<string, number>();
      this.#counts.set(day, ofDay.set(name, sum));
    }
    for (const row of quarters) {
      const quarter = row.quarter.getTime();
      if (this.#quarters.has(quarter)) continue;
      this.#quarters.set(quarter, row.measured ? totalsOf(row) : null);
      if (row.measured) this.#first = Math.min(this.#first, quarter);
      this.#version++;
    }
    for (const quarter of this.#quarters.keys())
      if (quarter < oldest) this.#quarters.delete(quarter);
    const oldestDay = dayText(now - DAYS_KEPT_MS);
    for (const days of [this.#days, this.#counts])
      for (const day of days.keys()) if (day < oldestDay) days.delete(day);
  }

  /** Whether it is known if the quarter (ms) was measured. */
  isRecorded(quarter: number): boolean {
    return this.#quarters.has(quarter);
  }

  isMeasured(quarter: number): boolean {
    return Boolean(this.#quarters.get(quarter));
  }

  /**
   * When nothing was measured (ms), in the last 91 days and up to {@link end}, the oldest first, none next to another.
   * Made once for each quarter.
   */
  gaps(): Period[] {
    const end = this.end();
    const key = `${end} ${this.#version}`;
    if (this.#gaps.key !== key) this.#gaps = { key, periods: this.#gapsUntil(end) };
    return this.#gaps.periods;
  }

  #gapsUntil(end: number): Period[] {
    const periods: Period[] = [];
    let last: Period | undefined;
    for (let at = quarterOf(end - SHOWN_MS); at < end; at += QUARTER_MS) {
      if (this.isMeasured(at)) continue;
      if (last?.to === at) last.to += QUARTER_MS;
      else periods.push((last = { from: at, to: at + QUARTER_MS }));
    }
    return periods;
  }

  /** Whether at least one quarter of the UTC day that begins at a moment (ms) was measured. */
  hasDay(day: number): boolean {
    return this.#days.has(dayText(day));
  }

  /** The start (ms) of the first UTC day that was measured and is in memory; null: none. */
  firstDay(): number | null {
    let first: string | null = null;
    for (const day of this.#days.keys()) if (first === null || day < first) first = day;
    return first === null ? null : Date.parse(first);
  }

  /** The mean of the UTC day that begins at a moment (ms), and who joined and left; null where nothing was measured. */
  dayTotals(day: number): Omit<NetworkStep, 'at'> {
    return this.#day(day);
  }

  /** The mean number of nodes of the UTC day that begins at a moment (ms), whatever their status; null: not measured. */
  dayNodes(day: number): number | null {
    const totals = this.#days.get(dayText(day));
    return totals ? Math.round(nodesOf(totals) / totals.quarters) : null;
  }

  /** The means of what else is counted of the UTC day that begins at a moment (ms). */
  dayMeans(day: number): DayMeans {
    return dayMeans(this.#counts.get(dayText(day)));
  }

  /** The last quarter (ms) that was measured, and the network at its end; null: none yet. */
  latest(): { quarter: number; totals: QuarterTotals } | null {
    let latest: { quarter: number; totals: QuarterTotals } | null = null;
    for (const [quarter, totals] of this.#quarters)
      if (totals && !(latest && latest.quarter > quarter)) latest = { quarter, totals };
    return latest;
  }

  /** Where history ends now (ms): with the last quarter, or while that is being recorded, with the one before. */
  end(): number {
    const now = this.clock();
    const end = quarterOf(now);
    return this.isRecorded(end - QUARTER_MS) || now - end > SETTLE_MS ? end : end - QUARTER_MS;
  }

  /** The body of GET /api/mesh/history. Made once for each quarter. */
  answer(days: HistoryDays): Answer {
    const key = `${days} ${this.end()} ${this.#version}`;
    let answer = this.#answers.get(key);
    if (!answer)
      this.#answers.set(key, (answer = fixedAnswer(JSON.stringify(this.#history(days)))));
    return answer;
  }

  #history(days: HistoryDays): NetworkHistory {
    const to = this.end();
    const { stepMs, from, steps } = stepsOf(days, to, Math.min(this.#first, to));
    return {
      ...historyHead(stepMs, from, to),
      steps: steps.map((at) => ({
        at: iso(at),
        ...(stepMs === DAY_MS ? this.#day(at) : (this.#quarters.get(at) ?? NOTHING)),
      })),
      uptime: recordFrom(WINDOW_NAMES, (window) => this.#uptime(to, WINDOWS[window])),
    };
  }

  /** The mean of a day's measured quarters; who joined and left, added up. */
  #day(at: number): Omit<NetworkStep, 'at'> {
    const day = this.#days.get(dayText(at));
    if (!day) return NOTHING;
    return recordFrom(QUARTER_TOTALS, (name) =>
      ADDED.has(name) ? day[name] : Math.round(day[name] / day.quarters),
    );
  }

  /** The share of nodes that weren't offline, over the measured quarters. */
  #uptime(to: number, windowMs: number): number | null {
    let all = 0;
    let up = 0;
    for (const [quarter, totals] of this.#quarters) {
      if (!totals || quarter < to - windowMs || quarter >= to) continue;
      const nodes = nodesOf(totals);
      up += nodes - totals.offline;
      all += nodes;
    }
    return shareOf(up, all);
  }
}

const NOTHING: Omit<NetworkStep, 'at'> = recordFrom(QUARTER_TOTALS, () => null);

/** A share to six digits, so that no share below 1 becomes 1; null of nothing. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;

const totalsOf = (row: Record<QuarterTotal, number | null>): QuarterTotals =>
  recordFrom(QUARTER_TOTALS, (name) => row[name] ?? 0);
