import { parse } from 'csv-parse/sync';
import { createHash } from 'node:crypto';
import { AppError, type Issue } from '../schemas/errors.ts';
import { DATE_ORDERS, MADE_ID, type DateOrder } from '../schemas/payments.ts';
import { readCurrency, readMoment, readMoney } from './payment-fields.ts';

/**
 * From the text of an export to incoming payments. Payers' names, accounts and whatever else a file has
 * stay here: nothing of them is in what is returned, nor in what is said about a row that cannot be read.
 */

/** More rows than this at once would hold up everybody else. */
const ROWS_MAX = 20_000;
/** Longest note that is kept; the payment app's own are shorter. */
const NOTE_MAX = 500;
const ID_MAX = 100;
const SAMPLE_ROWS = 5;

/** Where a file has what is kept, by the number of the column from 0. */
export interface Mapping {
  date: number;
  order: DateOrder;
  amount: number;
  note: number;
  /** Null: an id is made of date, amount and note. */
  id: number | null;
  /** Null: every amount is in US dollars, unless it says otherwise itself. */
  currency: number | null;
}

export interface ReadPayment {
  id: string;
  paidAt: Date;
  amountCents: number;
  note: string;
}

export interface UnreadableRow {
  /** Where it begins in the file, from 1. */
  line: number;
  why: string;
}

export interface ReadFile {
  kind: 'payments';
  /** Rows below the head; each is in exactly one of what follows. */
  rows: number;
  payments: ReadPayment[];
  outgoing: number;
  /** Not a payment of dollars from somebody else: bitcoin, a boost, another currency, nothing at all. */
  other: number;
  /** Ids of what is pending, failed, or was given back. */
  incomplete: string[];
  unreadable: UnreadableRow[];
  /** Of the unreadable ones those whose id an earlier row has for another payment. */
  clashes: UnreadableRow[];
}

export interface UnknownFile {
  kind: 'unknown';
  columns: string[];
  /** The first rows, for a person to look at. */
  sample: string[][];
  /** What the columns' names let one suppose: to be looked at, not to be used. */
  supposed: Partial<Mapping>;
  /** What is wrong with the mapping that was tried; null where none was. */
  refused: { error: string; issues: Issue[] } | null;
}

/**
 * @param mapping where the columns are; without it only the payment app's own export is understood
 * @returns an unknown file where there is no mapping, or one that does not fit
 * @throws AppError `invalid_body` when it is no table, `payload_too_large`
 */
export function readPayments(text: string, mapping?: Mapping): ReadFile | UnknownFile {
  const table = readTable(text);
  const app = mapping ? null : appColumns(table.columns);
  if (app) return sort(table, (row) => readAppRow(row, app));
  const unknown = (refused: UnknownFile['refused']): UnknownFile => ({
    kind: 'unknown',
    ...headOf(table),
    supposed: suppose(table),
    refused,
  });
  if (!mapping) return unknown(null);
  const wrong = wrongColumns(table, mapping);
  if (wrong.length > 0)
    return unknown({ error: 'Choose a column for each of them.', issues: wrong });
  const file = sort(table, (row) => readMappedRow(row, mapping));
  const [clash] = file.clashes;
  // An id that stands for two payments is no slip of the file here: the column is not what it was taken for.
  if (clash)
    return unknown({
      error: `Line ${clash.line} ${clash.why}. Choose a column that has another id in every row, or none.`,
      issues: [{ path: 'id', message: 'is the same for different payments' }],
    });
  const [first] = file.unreadable;
  if (first && file.unreadable.length === file.rows)
    return unknown({
      error: `No row can be read so. Line ${first.line}: ${first.why}.`,
      issues: [],
    });
  return file;
}

/** What a person is shown of a file to say where its columns are. @throws as {@link readPayments} */
export function lookAt(text: string): Pick<UnknownFile, 'columns' | 'sample'> {
  return headOf(readTable(text));
}

const headOf = ({ columns, rows }: Table) => ({
  columns,
  sample: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells),
});

/** An export's bytes as text: UTF-8, UTF-16 where it says so, else what older bank software writes. */
export function decodeFile(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

interface Row {
  line: number;
  cells: string[];
}

interface Table {
  columns: string[];
  rows: Row[];
  unreadable: UnreadableRow[];
}

function readTable(text: string): Table {
  const separator = separatorOf(text);
  const { records, broken } = recordsOf(text.replace(/^\uFEFF/, ''), separator);
  const cells = parseRecords(
    records.map((record) => record.text),
    separator,
  );
  const rows = records
    .map(({ line }, at) => ({ line, cells: (cells[at] ?? []).map(clean) }))
    // A line of separators only is an empty one.
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const head = rows.shift();
  if (!head || head.cells.length < 2 || (broken[0] ?? Infinity) < head.line)
    throw noTable('has no head with two or more columns, as a CSV file would');
  if (rows.length > ROWS_MAX)
    throw new AppError(
      'payload_too_large',
      `The file has ${rows.length} rows, and at most ${ROWS_MAX} are read at once. Export a shorter time.`,
      { issues: [{ path: 'file', message: `has more than ${ROWS_MAX} rows` }] },
    );
  const why = 'has a quotation mark where none may be, or lacks one';
  return { columns: head.cells, rows, unreadable: broken.map((line) => ({ line, why })) };
}

/** A note of more lines is taken for a quotation mark that is never closed. */
const RECORD_LINES = 20;

/**
 * Which lines make one record: more than one where a line ends within quotes. The parser alone would take
 * a quotation mark too many for the begin of a very long value, and lose the rows below it.
 */
function recordsOf(text: string, separator: string) {
  // Each text matches in one way at most: with two ways a cell, a long row would take for ever.
  const value = `(?:[ ]*"[^"]*(?:""[^"]*)*"[ ]*|[^"${separator}]*)`;
  const wellFormed = new RegExp(`^${value}(?:${separator}${value})*$`);
  const lines = text.split(/\r\n|\r|\n/);
  const quotes = lines.map((line) => line.split('"').length - 1);
  const records: { line: number; text: string }[] = [];
  const broken: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]?.trim() === '') continue;
    let last = at;
    let open = (quotes[at] ?? 0) % 2 === 1;
    while (open && last + 1 < lines.length && last + 1 - at < RECORD_LINES)
      open = open !== ((quotes[++last] ?? 0) % 2 === 1);
    const record = lines.slice(at, last + 1).join(' ');
    if (open || !wellFormed.test(record)) {
      broken.push(at + 1);
      continue;
    }
    records.push({ line: at + 1, text: record });
    at = last;
  }
  return { records, broken };
}

function parseRecords(records: string[], delimiter: string): string[][] {
  try {
    return parse(records.join('\n'), {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      trim: true,
      max_record_size: 0,
    });
  } catch {
    // The parser's own words quote the file.
    throw noTable('cannot be read as a table');
  }
}

const noTable = (what: string) =>
  new AppError('invalid_body', `The file ${what}.`, { issues: [{ path: 'file', message: what }] });

/** What stands most often in the first line that has anything, outside of quotes. */
function separatorOf(text: string): string {
  const [line = ''] = /[^\r\n]+/.exec(text) ?? [];
  const bare = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => bare.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** On one line, without what cannot be seen or the database cannot keep. */
const clean = (text: string) =>
  text
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();

type Read =
  | { what: 'payment'; payment: Omit<ReadPayment, 'id'> & { id: string | null } }
  | { what: 'outgoing' | 'other' }
  | { what: 'incomplete'; id: string }
  | { what: 'unreadable'; why: string };

const unreadable = (why: string): Read => ({ what: 'unreadable', why });

function sort(table: Table, read: (row: Row) => Read): ReadFile {
  const file: ReadFile = {
    kind: 'payments',
    rows: table.rows.length + table.unreadable.length,
    payments: [],
    outgoing: 0,
    other: 0,
    incomplete: [],
    unreadable: [...table.unreadable],
    clashes: [],
  };
  const seen = new Map<string, { line: number; content: string }>();
  const equal = new Map<string, number>();
  for (const row of table.rows) {
    // A separator at the end of each line is one empty cell too many, and no harm.
    const extra = row.cells.slice(table.columns.length).some((cell) => cell !== '');
    const result =
      extra || row.cells.length < table.columns.length
        ? unreadable(`has ${row.cells.length} values, the head ${table.columns.length}`)
        : read(row);
    switch (result.what) {
      case 'payment': {
        const { id, ...payment } = result.payment;
        const content = JSON.stringify([payment.paidAt, payment.amountCents, payment.note]);
        const nth = equal.get(content) ?? 0;
        equal.set(content, nth + 1);
        const earlier = id === null ? undefined : seen.get(id);
        if (earlier && earlier.content !== content) {
          const why = `has the transaction id of line ${earlier.line}, but is another payment`;
          file.clashes.push({ line: row.line, why });
          break;
        }
        if (id !== null) seen.set(id, { line: row.line, content });
        file.payments.push({ ...payment, id: id ?? madeId(content, nth) });
        break;
      }
      case 'unreadable':
        file.unreadable.push({ line: row.line, why: result.why });
        break;
      case 'incomplete':
        file.incomplete.push(result.id);
        break;
      default:
        file[result.what]++;
    }
  }
  file.unreadable.push(...file.clashes);
  file.unreadable.sort((a, b) => a.line - b.line);
  return file;
}

/** Of equal rows each gets its own, the same one in the next file that has them. */
const madeId = (content: string, nth: number) =>
  `${MADE_ID}${createHash('sha256').update(`${nth} ${content}`).digest('base64url').slice(0, 32)}`;

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

/** Where they are, if all of them are there. */
function appColumns(columns: string[]): AppColumns | null {
  const names = columns.map((column) => column.toLowerCase());
  const found = Object.entries(APP_COLUMNS).map(
    ([key, name]) => [key, names.indexOf(name)] as const,
  );
  return found.some(([, at]) => at < 0) ? null : (Object.fromEntries(found) as AppColumns);
}

/** One's own money coming back, or the app's: nobody paid a fee with it. */
const NOT_FROM_A_PAYER =
  /bitcoin|btc|stock|boost|cash ?out|cash ?in|deposit|saving|transfer|withdraw|card|interest|dividend|borrow|loan|refund|reward|round/i;
const COMPLETED = /^(?:completed?|(?:payment )?(?:deposited|received|sent))$/i;

function readAppRow({ cells }: Row, at: AppColumns): Read {
  const cell = (key: keyof AppColumns) => cells[at[key]] ?? '';
  const asset = readCurrency(cell('asset'));
  if (readCurrency(cell('currency')) !== 'USD' || (asset !== null && asset !== 'USD'))
    return { what: 'other' };
  const id = cell('id');
  const money = readMoney(cell('amount'));
  if (!money) return unreadable('the amount is none');
  if (money.cents < 0) return { what: 'outgoing' };
  if (money.cents === 0 || NOT_FROM_A_PAYER.test(cell('type'))) return { what: 'other' };
  if (id === '' || id.length > ID_MAX) return unreadable('the transaction id is missing');
  if (!COMPLETED.test(cell('status'))) return { what: 'incomplete', id };
  return payment(id, readMoment(cell('date'), 'ymd'), money.cents, cell('note'));
}

function readMappedRow({ cells }: Row, at: Mapping): Read {
  const cell = (column: number) => cells[column] ?? '';
  const money = readMoney(cell(at.amount));
  if (!money) return unreadable('the amount is none');
  const currency =
    money.currency ?? (at.currency === null ? null : readCurrency(cell(at.currency))) ?? 'USD';
  if (currency !== 'USD' || money.cents === 0) return { what: 'other' };
  if (money.cents < 0) return { what: 'outgoing' };
  const id = at.id === null ? null : cell(at.id);
  if (id !== null && (id === '' || id.length > ID_MAX))
    return unreadable('the transaction id is missing');
  return payment(id, readMoment(cell(at.date), at.order), money.cents, cell(at.note));
}

function payment(id: string | null, at: number | null, cents: number, note: string): Read {
  if (at === null) return unreadable('the date is none, or is written otherwise');
  return {
    what: 'payment',
    payment: { id, paidAt: new Date(at), amountCents: cents, note: note.slice(0, NOTE_MAX).trim() },
  };
}

/** What is wrong with a mapping, by the fields of the form. */
function wrongColumns({ columns }: Table, { order, ...mapping }: Mapping): Issue[] {
  const { date, amount, note, id, currency } = mapping;
  const chosen = Object.entries({ date, amount, note, id, currency }).filter(
    (entry): entry is [string, number] => entry[1] !== null,
  );
  const issues = chosen.flatMap(([path, column], at) =>
    !Number.isInteger(column) || column < 0 || column >= columns.length
      ? [{ path, message: 'choose a column of the file' }]
      : chosen.slice(0, at).some(([, earlier]) => earlier === column)
        ? [{ path, message: 'choose a column of its own' }]
        : [],
  );
  return DATE_ORDERS.includes(order)
    ? issues
    : [...issues, { path: 'order', message: 'choose how the dates are written' }];
}

const LIKELY: [keyof Omit<Mapping, 'order'>, RegExp][] = [
  ['date', /date|datum|day|tag\b|booked|time/i],
  ['amount', /^(amount|betrag|gross|value|sum|credit)|amount/i],
  ['note', /note|memo|purpose|verwendungszweck|reference|message|subject|description/i],
  ['id', /transaction.?id|^id$|reference.?(id|no|number)|txn/i],
  ['currency', /currency|w\u00e4hrung/i],
];

function suppose({ columns, rows }: Table): Partial<Mapping> {
  const supposed: Partial<Mapping> = {};
  for (const [field, name] of LIKELY) {
    const at = columns.findIndex((column) => name.test(column));
    if (at >= 0 && !Object.values(supposed).includes(at)) supposed[field] = at;
  }
  const { date } = supposed;
  if (date !== undefined) {
    const dates = rows.map(({ cells }) => cells[date] ?? '').filter((cell) => cell !== '');
    const fits = (order: DateOrder) => dates.every((cell) => readMoment(cell, order) !== null);
    // 3.4.2026 is the third of April wherever dots are written.
    const order = (['ymd', 'dmy', 'mdy'] as const).filter(fits);
    const [only] = dates.some((cell) => cell.includes('/')) && order.length > 1 ? [] : order;
    if (only) supposed.order = only;
  }
  return supposed;
}
