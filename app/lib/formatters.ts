const counter = new Intl.NumberFormat('en-US');

/** 10000 as "10,000". */
export const count = (n: number) => counter.format(n);

/** A count with its noun: "1 node", "2 nodes". @param many the plural; by default with an s */
export const counted = (n: number, one: string, many = `${one}s`) =>
  `${count(n)} ${n === 1 ? one : many}`;

/**
 * A share from 0 to 1 as "99.25%" or "74.4%", on every page, badge, card and feed: two decimals from 99 on, one below.
 * It is rounded down, so that only a whole share is 100%; a small one that isn't nothing is "under 0.1%".
 */
export function percent(share: number): string {
  if (share <= 0) return '0%';
  if (share >= 1) return '100%';
  // Without a rounding far below what is shown, 0.57 would be 56.9%.
  const hundredths = Math.min(9999, Math.floor(Math.round(share * 1e9) / 1e5));
  if (hundredths >= 9900) return `${(hundredths / 100).toFixed(2)}%`;
  return hundredths < 10 ? 'under 0.1%' : `${(Math.floor(hundredths / 10) / 10).toFixed(1)}%`;
}

export const nodes = (n: number) => counted(n, 'node');

/** "28.5° N, 77.0° E". Coordinates are rounded to a grid, so one decimal is enough. */
export function coordinates({ lat, lng }: { lat: number; lng: number }): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(1)}° ${value < 0 ? negative : positive}`;
  return `${degrees(lat, 'N', 'S')}, ${degrees(lng, 'E', 'W')}`;
}

/**
 * "3 free slots". Never "of" a number of replicas: a slot is room for one unit of work, a replica is a running copy
 * that may have several, and how many it has in all is not announced.
 */
export const freeSlotsText = (n: number) => counted(n, 'free slot');

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A UTC day as "27 Oct". @param day `2026-10-27` */
export function dayText(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${date} ${MONTHS[(month ?? 1) - 1]}`;
}
/** "27 Oct 2026". */
export const dateText = (day: string) => `${dayText(day)} ${day.slice(0, 4)}`;

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** 1234.5 as "$1,234.50". */
export const dollars = (amount: number) => money.format(amount);

// Durations as text, only as exact as useful.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const unit = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

/** What is left until a moment: "47 h 12 min", "12 min", "45 s". A moment that is over: "0 s". */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A span that someone configured: "48 hours", "90 minutes". */
export function span(ms: number): string {
  if (ms % HOUR === 0) return unit(ms / HOUR, 'hour');
  return ms < 2 * MINUTE
    ? unit(Math.round(ms / 1000), 'second')
    : unit(Math.round(ms / MINUTE), 'minute');
}

/** How long something takes, roughly: "3 hours". */
export function roughly(ms: number): string {
  if (ms < 90_000) return 'a minute';
  if (ms < 90 * MINUTE) return unit(Math.round(ms / MINUTE), 'minute');
  if (ms < 36 * HOUR) return unit(Math.round(ms / HOUR), 'hour');
  return unit(Math.round(ms / (24 * HOUR)), 'day');
}

/**
 * Nodes choose their region codes freely. Seven codes mean continents here, although NA, SA, AF and AS are also
 * country codes; ZZ stands for a node that gave none.
 */
const CONTINENTS = new Map([
  ['AF', 'Africa'],
  ['AN', 'Antarctica'],
  ['AS', 'Asia'],
  ['EU', 'Europe'],
  ['NA', 'North America'],
  ['OC', 'Oceania'],
  ['SA', 'South America'],
  ['ZZ', 'unknown'],
]);

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** "Germany" for DE, "Europe" for EU; null for a code without a known meaning, such as US-WEST. */
export const regionName = (code: string): string | null =>
  CONTINENTS.get(code) ?? (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? null) : null);

/** "Europe", or only the code where its meaning is unknown. */
export const regionInWords = (code: string): string => regionName(code) ?? code;

/** "DE (Germany)", or only the code where its meaning is unknown. */
export function regionText(code: string): string {
  const name = regionName(code);
  return name === null ? code : `${code} (${name})`;
}

export const CLASS_WORDS = { S: 'S, small', M: 'M, medium', L: 'L, large' } as const;

/** Regions with their counts, the largest first. */
export const byCount = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
