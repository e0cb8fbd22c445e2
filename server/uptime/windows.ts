import type { HistoryDays } from '@mesh-registry/protocol/rest/history.schema.ts';
import { DAY_MS, dayOf, QUARTER_MS } from './quarters.ts';

/** The spans over which uptime is stated, milliseconds. */
export const WINDOWS = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
} as const;
export type Window = keyof typeof WINDOWS;

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
