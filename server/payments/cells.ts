import type { DateOrder } from './payments.schema.ts';

/** Reads the cells of an export: dates and times, and amounts of money. */

/** Hours from UTC. The payment app writes the letters of a time zone; unknown letters are not guessed. */
const ZONE_HOURS: Record<string, number> = {
  ...{ UTC: 0, GMT: 0, Z: 0, BST: 1 },
  ...{ EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 },
  ...{ AKST: -9, AKDT: -8, HST: -10 },
};

/** A longer cell is neither a time nor an amount. Cells can have millions of characters. */
const CELL_MAX = 64;

const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const YEAR_LAST = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/;
const TIME =
  /^[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)? ?([AP]M)? ?([A-Z]{1,4}|[+-]\d{2}:?\d{2})?$/i;
const DAY_MS = 86_400_000;

/** The time in a cell, ms; null if there is none. A day without a time means 0:00, a time without a zone UTC. */
export function readMoment(cell: string, order: DateOrder): number | null {
  if (cell.length > CELL_MAX) return null;
  const text = cell.trim().replace(/\s+/g, ' ');
  const found = (order === 'ymd' ? YEAR_FIRST : YEAR_LAST).exec(text);
  if (!found) return null;
  const [a = 0, b = 0, c = 0] = found.slice(1).map(Number);
  const [year, month, day] =
    order === 'ymd' ? [a, b, c] : order === 'dmy' ? [fullYear(c), b, a] : [fullYear(c), a, b];
  const midnight = Date.UTC(year, month - 1, day);
  const date = new Date(midnight);
  // Date turns 31 February into 3 March. No payment app is older than this century.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  if (year < 2000 || year > 2100) return null;
  const rest = text.slice(found[0].length);
  if (rest === '') return midnight;
  const time = timeOfDay(rest);
  return time === null ? null : midnight + time;
}

const fullYear = (year: number) => (year < 100 ? 2000 + year : year);

/** Milliseconds since 0:00 UTC; with a time zone this can be negative, or more than a day. */
function timeOfDay(text: string): number | null {
  const found = TIME.exec(text);
  if (!found) return null;
  const [minute, second] = [Number(found[2]), Number(found[3] ?? 0)];
  const half = found[4]?.toUpperCase();
  let hour = Number(found[1]);
  if (half && (hour < 1 || hour > 12)) return null;
  if (half) hour = (hour % 12) + (half === 'PM' ? 12 : 0);
  const offset = zoneOffset(found[5]?.toUpperCase());
  if (hour > 23 || minute > 59 || second > 59 || offset === null) return null;
  return ((hour * 60 + minute) * 60 + second) * 1000 - offset;
}

/** Milliseconds to subtract to get UTC. */
function zoneOffset(zone: string | undefined): number | null {
  if (zone === undefined) return 0;
  const named = Object.hasOwn(ZONE_HOURS, zone) ? ZONE_HOURS[zone] : undefined;
  if (named !== undefined) return named * 3_600_000;
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!found) return null;
  const offset = (Number(found[2]) * 60 + Number(found[3])) * 60_000;
  return offset >= DAY_MS ? null : found[1] === '-' ? -offset : offset;
}

export interface Money {
  /** Negative for an outgoing payment. */
  cents: number;
  /** `USD`, or the text of another currency; null if none was given. */
  currency: string | null;
}

/** What an integer column can store. */
const CENTS_MAX = 2_000_000_000;
const AMOUNT =
  /^([(+-]?) ?([^\d .,'()+-]{0,4}) ?([+-]?) ?(\d[\d.,' ]*?) ?([^\d .,'()+-]{0,4}) ?([)-]?)$/u;
/** Whole; with a decimal mark and one or two digits; or with thousands separated by the other mark. */
const NUMBERS = [
  /^(\d+)(?:[.,](\d{1,2}))?$/,
  /^(\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/,
  /^(\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/,
];

/** `$5.00`, `-$1,000.00`, `1.000,00 EUR`, `(5.00)`. Null if it is no amount, or too large to store. */
export function readMoney(cell: string): Money | null {
  if (cell.length > CELL_MAX) return null;
  const text = cell
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[\u2212\u2013]/g, '-');
  const found = AMOUNT.exec(text);
  if (!found) return null;
  const [, before = '', symbol = '', between = '', digits = '', suffix = '', after = ''] = found;
  if ((before === '(') !== (after === ')')) return null;
  const number = digits.replace(/[' ]/g, '');
  const parts = NUMBERS.map((pattern) => pattern.exec(number)).find((parts) => parts !== null);
  if (!parts) return null;
  const whole = Number((parts[1] ?? '').replace(/[.,]/g, ''));
  const cents = whole * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
  if (cents > CENTS_MAX) return null;
  const negative = before === '(' || [before, between, after].includes('-');
  return { cents: negative ? -cents : cents, currency: readCurrency(symbol || suffix) };
}

/** `USD` for every way to write the US dollar; null for an empty cell. */
export function readCurrency(cell: string): string | null {
  const text = cell.trim().toUpperCase();
  if (text === '') return null;
  return ['$', 'US$', 'USD'].includes(text) ? 'USD' : text;
}
