import { createHash } from 'node:crypto';
import type { Issue } from '#server/common/issues.schema.ts';
import type { Mapping } from './import.schema.ts';
import { COMPLETED, DERIVED_ID_PREFIX, type DateOrder } from './payments.schema.ts';
import { readCurrency, readMoment, readMoney } from './cells.ts';
import {
  previewOf,
  fits,
  readTable,
  type Preview,
  type Row,
  type Table,
  type UnreadableRow,
} from './csv-table.ts';

/**
 * From the text of an export to incoming payments. Payers' names, accounts and everything else in the file stay here:
 * they are neither in the result nor in the message about an unreadable row.
 */

/** Rows that are not imported and are still listed one by one. */
const SKIPPED_LISTED = 100;

/** A row that was not imported. */
export interface SkippedRow {
  line: number;
  why: string;
  /** Date and amount as the file has them; empty for an unreadable row, where any cell may name people. */
  cells: string[];
}

const SKIPPED = {
  outgoing: 'outgoing payment',
  other: 'not a payment in dollars from somebody else',
  incomplete: 'not completed',
  takenBack: 'failed, cancelled or refunded',
};

/** Longest note that is stored; those of the payment app are shorter. */
const NOTE_MAX = 500;
const ID_MAX = 100;

export interface ReadPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
}

export interface ReadFile {
  kind: 'payments';
  /** Rows below the header. Each counts in exactly one of payments, outgoing, other, incomplete and unreadable. */
  rows: number;
  payments: ReadPayment[];
  outgoing: number;
  /** Not a payment in dollars from somebody else: bitcoin, a boost, another currency, an amount of zero. */
  other: number;
  /** Pending, failed or refunded. */
  incomplete: number;
  unreadable: UnreadableRow[];
  /** The first 100 of the rows that are not imported, by line. */
  skipped: SkippedRow[];
  /** Unreadable rows whose id belongs to another payment in an earlier row. */
  clashes: UnreadableRow[];
  /** Ids of incomplete payments that will never be completed. */
  takenBack: string[];
}

export interface UnknownFile extends Preview {
  kind: 'unknown';
  /** Guessed from the names of the columns: for a person to check, never used as it is. */
  guessed: Partial<Mapping>;
  /** What is wrong with the chosen columns; null if none were chosen. */
  refused: { error: string; issues: Issue[] } | null;
}

/**
 * @param mapping where the columns are; without it only the payment app's own export is recognised
 * @returns an unknown file if there is no mapping, or it does not fit
 * @throws AppError `invalid_body` when it is no table, `payload_too_large`
 */
export function readPayments(text: string, mapping?: Mapping): ReadFile | UnknownFile {
  const table = readTable(text);
  const unknown = (refused: UnknownFile['refused']): UnknownFile => ({
    kind: 'unknown',
    ...previewOf(table),
    guessed: guessMapping(table),
    refused,
  });
  const app = mapping ? null : appColumns(table.columns);
  if (app) {
    const file = sort(table, (row) => readAppRow(row, app), app);
    const first = strangeRow(file, table);
    if (!first) return file;
    const error = `The columns are those of the payment app, but no payment can be read. Line ${first.line}: ${first.why}.`;
    return unknown({ error, issues: [] });
  }
  if (!mapping) return unknown(null);
  const wrong = wrongColumns(table, mapping);
  if (wrong.length > 0)
    return unknown({ error: 'Choose a column for each of them.', issues: wrong });
  const file = sort(table, (row) => readMappedRow(row, mapping), mapping);
  const [clash] = file.clashes;
  // An id shared by two payments is no error of the file: the wrong column was chosen.
  if (clash)
    return unknown({
      error: `Line ${clash.line} ${clash.why}. Choose a column that has another id in every row, or none.`,
      issues: [{ path: 'id', message: 'is the same for different payments' }],
    });
  const [first] = file.unreadable;
  if (first && file.unreadable.length === file.rows)
    return unknown({
      error: `No row can be read with these columns. Line ${first.line}: ${first.why}.`,
      issues: [],
    });
  return file;
}

/**
 * A row with the app's columns that the app did not write: somebody saved the export in a spreadsheet, which changes
 * the dates first. An error in a single row does not count.
 */
function strangeRow({ payments, unreadable, rows }: ReadFile, table: Table) {
  if (payments.length > 0) return undefined;
  const broken = new Set(table.unreadable);
  const strange = unreadable.filter((row) => !broken.has(row));
  return strange.length + broken.size === rows
    ? strange[0]
    : strange.find(({ why }) => why === NO_DATE);
}

type Content = Omit<ReadPayment, 'id'>;

type Read =
  | { what: 'payment'; id: string | null; content: Content }
  /** An id, or what it is derived from. */
  | { what: 'takenBack'; of: string | Content }
  | { what: 'outgoing' | 'other' | 'incomplete' }
  | { what: 'unreadable'; why: string };

const unreadable = (why: string): Read => ({ what: 'unreadable', why });

function sort(
  table: Table,
  read: (row: Row) => Read,
  at: { date: number; amount: number },
): ReadFile {
  const file: ReadFile = {
    kind: 'payments',
    rows: table.rows.length + table.unreadable.length,
    payments: [],
    outgoing: 0,
    other: 0,
    incomplete: 0,
    unreadable: [...table.unreadable],
    skipped: [],
    clashes: [],
    takenBack: [],
  };
  const cells = new Map<number, string[]>();
  const skip = (row: Row, why: string) =>
    file.skipped.push({ line: row.line, why, cells: cells.get(row.line) ?? [] });
  const seen = new Map<string, { line: number; content: Content }>();
  const makeId = idMaker();
  const takenBack: Content[] = [];
  for (const row of table.rows) {
    if (fits(row, table.columns))
      cells.set(row.line, [row.cells[at.date] ?? '', row.cells[at.amount] ?? '']);
    const result = fits(row, table.columns)
      ? read(row)
      : unreadable(`has ${row.cells.length} values, but the header has ${table.columns.length}`);
    switch (result.what) {
      case 'payment': {
        const { id, content } = result;
        const earlier = id === null ? undefined : seen.get(id);
        if (earlier && !isSame(earlier.content, content)) {
          const why = `has the same transaction id as line ${earlier.line}, but is another payment`;
          file.clashes.push({ line: row.line, why });
          break;
        }
        if (id !== null) seen.set(id, { line: row.line, content });
        file.payments.push({ ...content, id: id ?? makeId(content) });
        break;
      }
      case 'takenBack':
        file.incomplete++;
        skip(row, SKIPPED.takenBack);
        if (typeof result.of === 'string') file.takenBack.push(result.of);
        else takenBack.push(result.of);
        break;
      case 'unreadable':
        file.unreadable.push({ line: row.line, why: result.why });
        break;
      default:
        file[result.what]++;
        skip(row, SKIPPED[result.what]);
    }
  }
  // After the completed ones: of two equal payments, one is reversed and one stays.
  file.takenBack.push(...takenBack.map(makeId));
  file.unreadable.push(...file.clashes);
  file.unreadable.sort((a, b) => a.line - b.line);
  for (const { line, why } of file.unreadable) file.skipped.push({ line, why, cells: [] });
  file.skipped = file.skipped.sort((a, b) => a.line - b.line).slice(0, SKIPPED_LISTED);
  return file;
}

const isSame = (a: Content, b: Content) =>
  a.paidAt.getTime() === b.paidAt.getTime() && a.amountCents === b.amountCents && a.note === b.note;

/** Each of several equal rows gets its own id, and the same one in the next file. */
function idMaker(): (content: Content) => string {
  const equal = new Map<string, number>();
  return ({ paidAt, amountCents, note }) => {
    const content = JSON.stringify([paidAt, amountCents, note]);
    const nth = equal.get(content) ?? 0;
    equal.set(content, nth + 1);
    const hash = createHash('sha256').update(`${nth} ${content}`).digest('base64url');
    return `${DERIVED_ID_PREFIX}${hash.slice(0, 32)}`;
  };
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
type AppColumns = Record<keyof typeof APP_COLUMNS, number>;

/** Their positions, if all of them are present. */
function appColumns(columns: string[]): AppColumns | null {
  const names = columns.map((column) => column.toLowerCase());
  const found = Object.entries(APP_COLUMNS).map(
    ([key, name]) => [key, names.indexOf(name)] as const,
  );
  return found.some(([, at]) => at < 0) ? null : (Object.fromEntries(found) as AppColumns);
}

/** The exporter's own money, or the app's: nobody pays a fee like this. */
const NOT_FROM_A_PAYER =
  /bitcoin|btc|stock|boost|cash ?out|cash ?in|deposit|saving|transfer|withdraw|card|interest|dividend|borrow|loan|refund|reward|round/i;
/** Will never be completed, or no longer is. Every other state may become completed in a later file. */
const TAKEN_BACK =
  /refund|fail|cancel|revers|den(?:y|ied)|declin|reject|return|void|charge ?back|charged back|disput|expire|storn|zur\u00fcck/i;

function stateOf(cell: string): 'completed' | 'takenBack' | 'pending' {
  const word = cell.toLowerCase().replace(/^payment /, '');
  if (COMPLETED.some((completed) => completed === word)) return 'completed';
  return TAKEN_BACK.test(word) ? 'takenBack' : 'pending';
}

function readAppRow({ cells }: Row, at: AppColumns): Read {
  const cell = (key: keyof AppColumns) => cells[at[key]] ?? '';
  const asset = readCurrency(cell('asset'));
  if (readCurrency(cell('currency')) !== 'USD' || (asset !== null && asset !== 'USD'))
    return { what: 'other' };
  const id = cell('id');
  const money = readMoney(cell('amount'));
  if (!money) return unreadable('has no valid amount');
  if (money.cents < 0) return { what: 'outgoing' };
  if (money.cents === 0 || NOT_FROM_A_PAYER.test(cell('type'))) return { what: 'other' };
  if (id === '' || id.length > ID_MAX) return unreadable('has no transaction id');
  const state = stateOf(cell('status'));
  if (state === 'pending') return { what: 'incomplete' };
  if (state === 'takenBack') return { what: 'takenBack', of: id };
  const content = contentOf(readMoment(cell('date'), 'ymd'), money.cents, cell('note'));
  return content ? { what: 'payment', id, content } : unreadable(NO_DATE);
}

function readMappedRow({ cells }: Row, at: Mapping): Read {
  const cell = (column: number) => cells[column] ?? '';
  const money = readMoney(cell(at.amount));
  if (!money) return unreadable('has no valid amount');
  const currency =
    money.currency ?? (at.currency === null ? null : readCurrency(cell(at.currency))) ?? 'USD';
  if (currency !== 'USD' || money.cents === 0) return { what: 'other' };
  if (money.cents < 0) return { what: 'outgoing' };
  const id = at.id === null ? null : cell(at.id);
  if (id !== null && (id === '' || id.length > ID_MAX)) return unreadable('has no transaction id');
  const state = at.state === null ? 'completed' : stateOf(cell(at.state));
  if (state === 'pending') return { what: 'incomplete' };
  if (state === 'takenBack' && id !== null) return { what: 'takenBack', of: id };
  const content = contentOf(
    at.order && readMoment(cell(at.date), at.order),
    money.cents,
    cell(at.note),
  );
  if (!content) return unreadable(NO_DATE);
  return state === 'takenBack'
    ? { what: 'takenBack', of: content }
    : { what: 'payment', id, content };
}

const NO_DATE = 'has no date in this format';

const contentOf = (at: number | null, amountCents: number, note: string): Content | null =>
  at === null ? null : { paidAt: new Date(at), amountCents, note: note.slice(0, NOTE_MAX).trim() };

/** What is wrong with a mapping, by field of the form. */
function wrongColumns({ columns }: Table, { order, ...mapping }: Mapping): Issue[] {
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

const LIKELY: [keyof Omit<Mapping, 'order'>, RegExp][] = [
  ['date', /date|datum|day|tag\b|booked|time/i],
  ['amount', /^(amount|betrag|gross|value|sum|credit)|amount/i],
  ['note', /note|memo|purpose|verwendungszweck|reference|message|subject|description/i],
  ['id', /transaction.?id|^id$|reference.?(id|no|number)|txn/i],
  ['currency', /currency|w\u00e4hrung/i],
  ['state', /status|\bstate\b|zustand/i],
];

function guessMapping({ columns, rows }: Table): Partial<Mapping> {
  const guessed: Partial<Mapping> = {};
  for (const [field, name] of LIKELY) {
    const at = columns.findIndex((column) => name.test(column));
    if (at >= 0 && !Object.values(guessed).includes(at)) guessed[field] = at;
  }
  const { date } = guessed;
  if (date !== undefined) {
    const dates = rows.map(({ cells }) => cells[date] ?? '').filter((cell) => cell !== '');
    const fits = (order: DateOrder) => dates.every((cell) => readMoment(cell, order) !== null);
    // Wherever dates have dots, 3.4.2026 is the third of April.
    const order = (['ymd', 'dmy', 'mdy'] as const).filter(fits);
    const [only] = dates.some((cell) => cell.includes('/')) && order.length > 1 ? [] : order;
    if (only) guessed.order = only;
  }
  return guessed;
}
