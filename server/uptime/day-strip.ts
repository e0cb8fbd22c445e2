import { DAY_MS, dayOf, dayText } from './quarters.ts';

/** From a moment to another, ms. */
export interface Period {
  from: number;
  to: number;
}

/** A time in which a node was silent: from its last heartbeat to the next, ms; null: it lasts. */
export interface Outage {
  from: number;
  to: number | null;
}

/** How a node did on each UTC day, the oldest first, for a strip. */
export interface DayStrip {
  /** The first day, such as `2026-08-29`. The last one is today, so far. */
  first: string;
  /** Seconds offline on each day, by its outages; null where nothing was measured, or before the node joined. */
  offline: (number | null)[];
  /** How many of the days were over before the node joined. */
  before: number;
  /** Seconds that were not measured, by the number of their day in `offline`. Without days that were measured whole. */
  unmeasured: Record<number, number>;
}

interface StripInput {
  /** The newest first, or the oldest. */
  outages: Outage[];
  /** When nothing was measured, the oldest first, and none of them touches another. */
  gaps: Period[];
  /** When the node joined, ms. */
  joinedAt: number;
  /** The first day, and where the last one ends so far, ms. */
  first: number;
  until: number;
}

/** What is not measured is no time offline: nobody knows. */
export function dayStrip({ outages, gaps, joinedAt, first, until }: StripInput): DayStrip {
  const days = Math.ceil((until - first) / DAY_MS);
  const from = Math.max(first, joinedAt);
  const offline = secondsByDay(measuredPartsOf(outages, gaps, from, until), first, days);
  const away = secondsByDay(clipped(gaps, from, until), first, days);
  const before = Math.min(days, Math.max(0, (dayOf(joinedAt) - first) / DAY_MS));
  const unmeasured: Record<number, number> = {};
  const known: boolean[] = [];
  for (let n = before; n < days; n++) {
    const start = Math.max(from, first + n * DAY_MS);
    const seconds = Math.max(0, Math.min(first + (n + 1) * DAY_MS, until) - start) / 1000;
    const unknown = away[n] ?? 0;
    if (unknown > 0) unmeasured[n] = Math.round(unknown);
    known[n] = unknown < seconds || seconds === 0;
  }
  return {
    first: dayText(first),
    offline: offline.map((seconds, n) => (known[n] ? Math.round(seconds) : null)),
    before,
    unmeasured,
  };
}

/** The parts of periods that are between two moments (ms). */
function* clipped(periods: Iterable<Period>, from: number, to: number): Generator<Period> {
  for (const period of periods) {
    const part = { from: Math.max(period.from, from), to: Math.min(period.to, to) };
    if (part.to > part.from) yield part;
  }
}

/** The outages without the gaps, from one moment (ms) to another. */
function* measuredPartsOf(
  outages: Outage[],
  gaps: Period[],
  from: number,
  until: number,
): Generator<Period> {
  const periods = outages.map(({ from, to }) => ({ from, to: to ?? until }));
  for (const outage of clipped(periods, from, until)) {
    let at = outage.from;
    for (const gap of clipped(gaps, outage.from, outage.to)) {
      if (gap.from > at) yield { from: at, to: gap.from };
      at = gap.to;
    }
    if (outage.to > at) yield { from: at, to: outage.to };
  }
}

/** How many seconds of the periods are in each of the days from `first` (ms) on. */
function secondsByDay(periods: Iterable<Period>, first: number, days: number): number[] {
  const seconds = new Array<number>(days).fill(0);
  for (const { from, to } of periods)
    for (let at = from; at < to;) {
      const end = Math.min(to, dayOf(at) + DAY_MS);
      const n = (dayOf(at) - first) / DAY_MS;
      seconds[n] = (seconds[n] ?? 0) + (end - at) / 1000;
      at = end;
    }
  return seconds;
}
