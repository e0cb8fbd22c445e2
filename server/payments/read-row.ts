import type { Issue } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { readCurrency, readMoment, readMoney } from './cells.ts';
import type { Row, Table } from './csv-table.ts';
import type { Mapping } from './import.schema.ts';
import { COMPLETED, DATE_ORDERS, type DateOrder } from './payments.schema.ts';

/**
 * Reads one row of an export: of the payment app's own, recognised by the names of its columns, or of any other, whose
 * columns a person chooses.
 */

/** Longest note that is stored; those of the payment app are shorter. */
const NOTE_MAX = 500;
const ID_MAX = 100;

export interface ReadPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
}

export type Content = Omit<ReadPayment, 'id'>;

/** The outcome of reading one row. */
export type ReadRow =
  /** `id` is null where the file has no ids. */
  | { kind: 'payment'; id: string | null; content: Content }
  /** An id, or the content that it is derived from. */
  | { kind: 'reversed'; of: string | Content }
  | { kind: 'outgoing' | 'other' | 'incomplete' }
  | { kind: 'unreadable'; why: string };

export const unreadable = (why: string): ReadRow => ({ kind: 'unreadable', why });

const NO_AMOUNT = 'has no valid amount';
export const NO_DATE = 'has no date in this format';

/** An incoming payment of a row. @param paidAt ms; null if the row has no date */
function incoming(
  id: string | null,
  state: ReturnType<typeof stateOf>,
  paidAt: number | null,
  amountCents: number,
  note: string,
): ReadRow {
  if (id === '' || (id !== null && id.length > ID_MAX)) return unreadable('has no transaction ID');
  if (state === 'pending') return { kind: 'incomplete' };
  if (state === 'reversed' && id !== null) return { kind: 'reversed', of: id };
  if (paidAt === null) return unreadable(NO_DATE);
  const content = { paidAt: new Date(paidAt), amountCents, note: note.slice(0, NOTE_MAX).trim() };
  return state === 'reversed'
    ? { kind: 'reversed', of: content }
    : { kind: 'payment', id, content };
}

/** Will never be completed, or no longer is. Every other state may become completed in a later file. */
const REVERSED =
  /refund|fail|cancel|revers|den(?:y|ied)|declin|reject|return|void|charge ?back|charged back|disput|expire|storn|zur\u00fcck/i;

function stateOf(cell: string): 'completed' | 'reversed' | 'pending' {
  const word = cell.toLowerCase().replace(/^payment /, '');
  if (COMPLETED.some((completed) => completed === word)) return 'completed';
  return REVERSED.test(word) ? 'reversed' : 'pending';
}

/* The payment app's own export. */

const APP_COLUMNS = {
  id: 'transaction id',
  date: 'date',
  type: 'transaction type',
  currency: 'currency',
  amount: 'amount',
  asset: 'asset type',
  status: 'status',
  note: 'notes',
} as const;
export type AppColumns = Record<keyof typeof APP_COLUMNS, number>;

/** Their positions, if all of them are present. */
export function appColumns(columns: string[]): AppColumns | null {
  const names = columns.map((column) => column.toLowerCase());
  const found = Object.entries(APP_COLUMNS).map(
    ([key, name]) => [key, names.indexOf(name)] as const,
  );
  return found.some(([, at]) => at < 0) ? null : (Object.fromEntries(found) as AppColumns);
}

/** The exporter's own money, or the app's, which never pays a fee. */
const NOT_FROM_A_PAYER =
  /bitcoin|btc|stock|boost|cash ?out|cash ?in|deposit|saving|transfer|withdraw|card|interest|dividend|borrow|loan|refund|reward|round/i;

export function readAppRow({ cells }: Row, at: AppColumns): ReadRow {
  const cell = (key: keyof AppColumns) => cells[at[key]] ?? '';
  const asset = readCurrency(cell('asset'));
  if (readCurrency(cell('currency')) !== 'USD' || (asset !== null && asset !== 'USD'))
    return { kind: 'other' };
  const money = readMoney(cell('amount'));
  if (!money) return unreadable(NO_AMOUNT);
  if (money.cents < 0) return { kind: 'outgoing' };
  if (money.cents === 0 || NOT_FROM_A_PAYER.test(cell('type'))) return { kind: 'other' };
  const paidAt = readMoment(cell('date'), 'ymd');
  return incoming(cell('id'), stateOf(cell('status')), paidAt, money.cents, cell('note'));
}

/* Any other export. */

export function readMappedRow({ cells }: Row, at: Mapping): ReadRow {
  const cell = (column: number) => cells[column] ?? '';
  const money = readMoney(cell(at.amount));
  if (!money) return unreadable(NO_AMOUNT);
  const currency =
    money.currency ?? (at.currency === null ? null : readCurrency(cell(at.currency))) ?? 'USD';
  if (currency !== 'USD' || money.cents === 0) return { kind: 'other' };
  if (money.cents < 0) return { kind: 'outgoing' };
  const id = at.id === null ? null : cell(at.id);
  const state = at.state === null ? 'completed' : stateOf(cell(at.state));
  const paidAt = at.order && readMoment(cell(at.date), at.order);
  return incoming(id, state, paidAt, money.cents, cell(at.note));
}

/** What is wrong with a mapping, by field of the form. */
export function mappingIssues({ columns }: Table, { order, ...mapping }: Mapping): Issue[] {
  const { date, amount, note, id, currency, state } = mapping;
  const chosen = Object.entries({ date, amount, note, id, currency, state }).filter(
    (entry): entry is [string, number] => entry[1] !== null,
  );
  const issues = chosen.flatMap(([path, column], at) =>
    !Number.isInteger(column) || column < 0 || column >= columns.length
      ? [{ path, message: 'choose a column of the file' }]
      : chosen.slice(0, at).some(([, earlier]) => earlier === column)
        ? [{ path, message: 'choose a different column for each field' }]
        : [],
  );
  return order === null
    ? [...issues, { path: 'order', message: 'choose how the dates are written' }]
    : issues;
}

const COLUMN_NAMES: [keyof Omit<Mapping, 'order'>, RegExp][] = [
  ['date', /date|datum|day|tag\b|booked|time/i],
  ['amount', /^(amount|betrag|gross|value|sum|credit)|amount/i],
  ['note', /note|memo|purpose|verwendungszweck|reference|message|subject|description/i],
  ['id', /transaction.?id|^id$|reference.?(id|no|number)|txn/i],
  ['currency', /currency|w\u00e4hrung/i],
  ['state', /status|\bstate\b|zustand/i],
];

/** Guesses a mapping from the names of the columns and the cells below the date. */
export function guessMapping({ columns, rows }: Table): Partial<Mapping> {
  const guessed: Partial<Mapping> = {};
  for (const [field, name] of COLUMN_NAMES) {
    const at = columns.findIndex((column) => name.test(column));
    if (at >= 0 && !Object.values(guessed).includes(at)) guessed[field] = at;
  }
  const { date } = guessed;
  const order = date === undefined ? null : guessOrder(rows.map(({ cells }) => cells[date] ?? ''));
  if (order) guessed.order = order;
  return guessed;
}

/** Null if the dates can be read in several ways. */
function guessOrder(cells: string[]): DateOrder | null {
  const dates = cells.filter((cell) => cell !== '');
  const [order, ...others] = DATE_ORDERS.filter((order) =>
    dates.every((cell) => readMoment(cell, order) !== null),
  );
  // Wherever dates have dots, 3.4.2026 is the third of April.
  const ambiguous = others.length > 0 && dates.some((cell) => cell.includes('/'));
  return ambiguous ? null : (order ?? null);
}
