import { nodes } from '#app/lib/formatters.ts';
import { timeLocale } from '#app/lib/clock.ts';
import type { PlaceStep } from '@mesh-registry/protocol/rest/history-places.schema.ts';
import type { ReplayQuery } from '#server/mesh/mesh-query.schema.ts';
import { QUARTER_MS } from './steps.ts';

const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const moment = new Intl.DateTimeFormat(timeLocale, { ...day, ...time });
const end = new Intl.DateTimeFormat(timeLocale, { ...time, timeZoneName: 'short' });
const utcDay = new Intl.DateTimeFormat(timeLocale, { ...day, year: 'numeric', timeZone: 'UTC' });

/** "Sun 22 Nov, 10:15–10:30 GMT+13" in the visitor's zone, or "Sun 22 Nov 2026 (UTC)". */
export function stepTime(span: ReplayQuery['span'], { at }: PlaceStep): string {
  const from = Date.parse(at);
  return span === '90d'
    ? `${utcDay.format(from)} (UTC)`
    : `${moment.format(from)}–${end.format(from + QUARTER_MS)}`;
}

/** What was then: "9,812 nodes at 3,201 places". */
export function stepCount({ nodes: heard, places }: PlaceStep): string {
  if (heard === null || places === null) return 'Not measured';
  return heard === 0
    ? 'No nodes'
    : `${nodes(heard)} at ${places === 1 ? '1 place' : `${places.toLocaleString('en-US')} places`}`;
}

/** A short text for an end of the curve. */
export const edgeTime = (span: ReplayQuery['span'], at: string): string =>
  span === '90d' ? utcDay.format(Date.parse(at)) : moment.format(Date.parse(at));

/** When the quarter that has begun will be recorded. */
export const nextTime = (to: string): string => end.format(Date.parse(to) + QUARTER_MS);
