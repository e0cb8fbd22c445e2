import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { DayMeans } from './day-counts.ts';
import { DAY_MS, dayOf, dayText } from './quarters.ts';
import type { RecordedNetwork } from './totals.ts';

/** The spans that trends are shown over, days: today, and those before it. */
export type TrendDays = 30 | 90 | 365;

/** The network on a UTC day: means of its measured quarters of an hour, but joined and left are added up. */
export interface TrendDay extends Record<PeerStatus, number | null>, DayMeans {
  /** `2026-11-26` */
  day: string;
  /** All nodes, whatever their status; null, as all that follows, where the service was away all day. */
  nodes: number | null;
  joined: number | null;
  left: number | null;
  /** Free slots of the compute offers that were available. */
  freeSlots: number | null;
}

/** How the network grew, by the day. */
export interface Trends {
  /** Without gaps, oldest first: from the first day that was ever measured, to today if it has been. */
  days: TrendDay[];
  /** The day before those, to compare with; null if it isn't known. */
  before: TrendDay | null;
  /** How many days there are in all, with those that were left out. */
  known: number;
  /** The UTC day that it is. */
  today: string;
}

/** The rows of all days, made once for each recorded quarter. */
export class NetworkTrends {
  #made: { key: string; days: TrendDay[] } | null = null;

  constructor(
    private readonly network: RecordedNetwork,
    private readonly clock: () => number,
  ) {}

  get(span: TrendDays): Trends {
    const all = this.#all();
    const today = dayOf(this.clock());
    const from = dayText(today - (span - 1) * DAY_MS);
    const first = all.findIndex(({ day }) => day >= from);
    return {
      days: first < 0 ? [] : all.slice(first),
      before: all[first - 1] ?? null,
      known: all.length,
      today: dayText(today),
    };
  }

  /** Changes with what `get` answers. */
  version(): string {
    return `${dayOf(this.clock())} ${this.network.version}`;
  }

  #all(): TrendDay[] {
    const { network } = this;
    const key = this.version();
    if (this.#made?.key === key) return this.#made.days;
    const today = dayOf(this.clock());
    const days: TrendDay[] = [];
    for (let at = network.firstDay() ?? Infinity; at <= today; at += DAY_MS) {
      // The day that has begun has nothing at first: it isn't a gap.
      if (at === today && !network.hasDay(at)) break;
      const totals = network.dayTotals(at);
      const means = network.dayMeans(at);
      days.push({ day: dayText(at), nodes: network.dayNodes(at), ...totals, ...means });
    }
    this.#made = { key, days };
    return days;
  }
}
