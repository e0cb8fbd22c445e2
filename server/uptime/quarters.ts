/** Quarters of an hour in UTC, which history is made of. Moments are milliseconds since 1970. */

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
