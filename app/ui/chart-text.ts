import { count, dayText, nodes } from '#app/lib/formatters.ts';
import { lastKnown, type Values } from './chart-scale.ts';

/** What charts of days say in words. */

/** A value then and now, and how many days are between. */
interface Compared {
  then: number;
  now: number;
  days: number;
}

/**
 * The last known value beside the one before the span, or else the first one.
 * @param before the value of the day just before the first one of the values; null: not known
 * @returns null with fewer than two values
 */
export function compared(values: Values, before: number | null): Compared | null {
  const last = lastKnown(values);
  if (!last) return null;
  if (before !== null) return { then: before, now: last.value, days: last.at + 1 };
  const first = values.findIndex((value) => value !== null);
  const then = values[first] ?? null;
  return then === null || first === last.at
    ? null
    : { then, now: last.value, days: last.at - first };
}

export const daysAgo = (days: number) => (days === 1 ? 'a day ago' : `${days} days ago`);

/** "612 nodes, 84 more than 90 days ago". */
export function nodesFinding(values: Values, before: number | null): string {
  const change = compared(values, before);
  if (!change) return 'Nodes';
  const by = change.now - change.then;
  if (by === 0) return `${nodes(change.now)}, as many as ${daysAgo(change.days)}`;
  return `${nodes(change.now)}, ${count(Math.abs(by))} ${by > 0 ? 'more' : 'fewer'} than ${daysAgo(change.days)}`;
}

/** Below a chart: its first day, two in between where there is room, and the last one. */
export function axisDates(days: readonly string[], today: string): string[] {
  const last = days.length - 1;
  const at =
    days.length < 8 ? [0, last] : [0, Math.round(last / 3), Math.round((last * 2) / 3), last];
  return at.map((n) => (days[n] === today ? 'today' : dayText(days[n] ?? '')));
}
