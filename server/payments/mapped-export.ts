import type { Issue } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { readCurrency, readMoment, readMoney } from './cells.ts';
import type { Row, Table } from './csv-table.ts';
import {
  contentOf,
  isId,
  NO_AMOUNT,
  NO_DATE,
  NO_ID,
  stateOf,
  unreadable,
  type ReadRow,
} from './export-row.ts';
import type { Mapping } from './import.schema.ts';
import type { DateOrder } from './payments.schema.ts';

/** Any other export, whose columns a person chooses. */

export function readMappedRow({ cells }: Row, at: Mapping): ReadRow {
  const cell = (column: number) => cells[column] ?? '';
  const money = readMoney(cell(at.amount));
  if (!money) return unreadable(NO_AMOUNT);
  const currency =
    money.currency ?? (at.currency === null ? null : readCurrency(cell(at.currency))) ?? 'USD';
  if (currency !== 'USD' || money.cents === 0) return { kind: 'other' };
  if (money.cents < 0) return { kind: 'outgoing' };
  const id = at.id === null ? null : cell(at.id);
  if (id !== null && !isId(id)) return unreadable(NO_ID);
  const state = at.state === null ? 'completed' : stateOf(cell(at.state));
  if (state === 'pending') return { kind: 'incomplete' };
  if (state === 'reversed' && id !== null) return { kind: 'reversed', of: id };
  const paidAt = at.order && readMoment(cell(at.date), at.order);
  const content = contentOf(paidAt, money.cents, cell(at.note));
  if (!content) return unreadable(NO_DATE);
  return state === 'reversed'
    ? { kind: 'reversed', of: content }
    : { kind: 'payment', id, content };
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
  const [order, ...others] = (['ymd', 'dmy', 'mdy'] as const).filter((order) =>
    dates.every((cell) => readMoment(cell, order) !== null),
  );
  // Wherever dates have dots, 3.4.2026 is the third of April.
  const ambiguous = others.length > 0 && dates.some((cell) => cell.includes('/'));
  return ambiguous ? null : (order ?? null);
}
