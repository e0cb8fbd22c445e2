import type { HistoryDays } from '@mesh-registry/protocol/rest/history.schema.ts';

/** Quarters of an hour in UTC, which history is made of, and the spans over which it is shown. Moments are milliseconds since 1970. */

export const QUARTER_MS = 15 * 60_000;
export const DAY_MS = 86_400_000;
export const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;

/** The start of the quarter that contains a moment. */
export const quarterOf = (moment: number): number => Math.floor(moment / QUARTER_MS) * QUARTER_MS;

/** The start of the UTC day that contains a moment. */
export const dayOf = (moment: number): number => Math.floor(moment / DAY_MS) * DAY_MS;

/** The number of a quarter within its day, from 0 to 95. */
export const numberInDay = (quarter: number): number => (quarter - dayOf(quarter)) / QUARTER_MS;

/** A day as the database stores it: `2026-11-22`. */
export const dayText = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** The days, as the database stores them, from the one of `first` to that of `last` (ms). */
export function daysBetween(first: number, last: number): string[] {
  const days: string[] = [];
  for (let day = dayOf(first); day <= last; day += DAY_MS) days.push(dayText(day));
  return days;
}

/** The spans over which uptime is stated, milliseconds. */
export const WINDOWS = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
} as const;
export type Window = keyof typeof WINDOWS;
export const WINDOW_NAMES = Object.keys(WINDOWS) as Window[];

/**
 * The steps of an answer: the quarters of the last day or week, or the UTC days of the last month or three, the last
 * one so far.
 * @param to the end of history, ms
 * @param first the first moment with a history, ms
 */
export function stepsOf(
  days: HistoryDays,
  to: number,
  first: number,
): { stepMs: number; from: number; steps: number[] } {
  const stepMs = days <= 7 ? QUARTER_MS : DAY_MS;
  const begin = stepMs === QUARTER_MS ? to - days * DAY_MS : dayOf(to - 1) - (days - 1) * DAY_MS;
  const from = Math.min(to, Math.max(begin, Math.floor(first / stepMs) * stepMs));
  const steps: number[] = [];
  for (let at = from; at < to; at += stepMs) steps.push(at);
  return { stepMs, from, steps };
}

export const iso = (moment: number): string => new Date(moment).toISOString();

/** What a history of steps of this length begins with. All three in ms. */
export const historyHead = (stepMs: number, from: number, to: number) => ({
  updatedAt: iso(to),
  stepSeconds: stepMs === DAY_MS ? (86_400 as const) : (900 as const),
  from: iso(from),
  to: iso(to),
});
