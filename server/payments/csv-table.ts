import { AppError } from '#server/common/errors.schema.ts';
import { DATE_ORDERS } from './payments.schema.ts';
import { readMoment, readMoney } from './cells.ts';

/**
 * From the bytes of an export to its header and rows. An ordinary CSV parser takes a stray quotation mark for the
 * beginning of a very long value and loses the rows below it; here a broken row costs only itself. Records are read
 * one at a time, each character about once, and reading stops at the first row too many: the whole service waits
 * meanwhile.
 */

/** More rows at once would block everyone else. */
const ROWS_MAX = 20_000;
/** More columns than anybody can choose from. */
const COLUMNS_MAX = 200;
/** A value with more lines is treated as an unclosed quotation mark. */
const RECORD_LINES = 20;
/** The header is among this many first records: banks write their name, account and balance above it. */
const HEAD_WITHIN = 20;
/** Characters that are searched for the header: a file can consist of empty lines. */
const HEAD_TEXT = 64 * 1024;
const SAMPLE_ROWS = 5;

export interface Row {
  /** Its first line in the file, from 1. */
  line: number;
  cells: string[];
}

export interface UnreadableRow {
  line: number;
  why: string;
}

const isRow = (record: Row | UnreadableRow): record is Row => 'cells' in record;

export interface Table {
  columns: string[];
  /** The line of the header, if anything is above it; that is left out. */
  headLine: number | null;
  rows: Row[];
  unreadable: UnreadableRow[];
}

/** @throws AppError `invalid_body` when it is no table, `payload_too_large` */
export function readTable(text: string): Table {
  const { records, head } = withHead(text);
  const table: Table = { ...head, rows: [], unreadable: [] };
  for (const record of records) {
    if (table.rows.length + table.unreadable.length === ROWS_MAX)
      throw new AppError(
        'payload_too_large',
        `The file has more than ${ROWS_MAX} rows. Export a shorter period.`,
        { issues: [{ path: 'file', message: `has more than ${ROWS_MAX} rows` }] },
      );
    if (isRow(record)) table.rows.push(record);
    else table.unreadable.push(record);
  }
  return table;
}

export type Preview = ReturnType<typeof previewOf>;

export const previewOf = ({ columns, headLine, rows }: Table) => ({
  columns,
  headLine,
  /** The first rows. */
  sample: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells),
});

/** What a person needs to choose the columns of a file; nothing more of it is read. @throws as {@link readTable} */
export function preview(text: string): Preview {
  const { records, head } = withHead(text);
  const rows = first(SAMPLE_ROWS, records).filter(isRow);
  return previewOf({ ...head, rows, unreadable: [] });
}

/** A separator at the end of each line gives an empty cell too many, which is harmless. */
export const fits = ({ cells }: Row, columns: string[]): boolean =>
  cells.length >= columns.length && widthOf(cells) <= columns.length;

/** An export's bytes as text: UTF-8, UTF-16 with a byte order mark, else the encoding of older bank software. */
export function decodeFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/* The header. */

/** The header, and the records below it, which are read lazily. */
function withHead(text: string): {
  head: Pick<Table, 'columns' | 'headLine'>;
  records: Iterable<Row | UnreadableRow>;
} {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const top = lines.slice(0, HEAD_TEXT);
  const [found] = [',', ';', '\t']
    .map((separator) => headBy(top, separator))
    .sort((a, b) => b.fitting - a.fitting || b.width - a.width);
  const head = found?.head;
  if (!found?.named || !head || found.width < 2)
    throw new AppError('invalid_body', `The file ${NO_HEAD}.`, {
      issues: [{ path: 'file', message: NO_HEAD }],
    });
  return {
    head: { columns: head.cells, headLine: found.isFirst ? null : head.line },
    records: below(head.line, recordsOf(lines, found.separator)),
  };
}

const NO_HEAD = 'has no header row; add a line that names its columns';

/**
 * The record with the most cells, read with this separator: lines above a header have fewer. A row with a comma too
 * many has more, but also contains an amount or a date, which is never the name of a column.
 */
function headBy(text: string, separator: string) {
  const records = first(HEAD_WITHIN, recordsOf(text, separator));
  const rows = records.filter(isRow);
  const names = rows.filter(({ cells }) => !cells.some(isValue));
  // Without any names the separator is still found, to report the missing header.
  const candidates = names.length > 0 ? names : rows;
  const width = candidates.reduce((most, { cells }) => Math.max(most, widthOf(cells)), 0);
  const head = candidates.find(({ cells }) => widthOf(cells) === width);
  // An unreadable record above it may have been the header itself.
  if (!head || records.some((record) => !isRow(record) && record.line < head.line))
    return { separator, named: false, width: 0, fitting: 0 };
  /** In a file with semicolons some rows also have commas, but not the same number in each. */
  const fitting = rows.filter((row) => width > 1 && fits(row, head.cells)).length;
  const named = names.length > 0;
  return { separator, head, named, isFirst: head === records[0], width, fitting };
}

const widthOf = (cells: string[]) => cells.findLastIndex((cell) => cell !== '') + 1;

const isValue = (cell: string) =>
  readMoney(cell) !== null || DATE_ORDERS.some((order) => readMoment(cell, order) !== null);

function first<T>(limit: number, of: Iterable<T>): T[] {
  const found: T[] = [];
  for (const one of of) if (found.push(one) === limit) break;
  return found;
}

function* below<T extends { line: number }>(line: number, records: Iterable<T>): Generator<T> {
  for (const record of records) if (record.line > line) yield record;
}

/* The records. */

/** Without empty records, such as a line of separators only. @param text with lines that end with \n */
function* recordsOf(text: string, separator: string): Generator<Row | UnreadableRow> {
  const bare = new RegExp(`[^"\\n${separator}]*`, 'y');
  for (let at = 0, line = 1; at < text.length;) {
    if (text[at] === '\n') {
      at++;
      line++;
      continue;
    }
    const record = recordAt(text, at, separator, bare);
    if (typeof record === 'string') {
      yield { line, why: record };
      // The lines that it would have swallowed are read separately.
      at = text.indexOf('\n', at) + 1 || text.length;
      line++;
    } else {
      const cells = record.cells.map(clean);
      if (cells.some((cell) => cell !== '')) yield { line, cells };
      at = record.end;
      line += record.lines;
    }
  }
}

const MISQUOTED = 'has a misplaced or missing quotation mark';

/**
 * @param bare matches an unquoted value up to its end
 * @returns its cells and where the next record begins, or why it cannot be read
 */
function recordAt(text: string, begin: number, separator: string, bare: RegExp) {
  const cells: string[] = [];
  let lines = 1;
  for (let at = begin; cells.length < COLUMNS_MAX; at++) {
    bare.lastIndex = at;
    bare.test(text);
    let value = text.slice(at, bare.lastIndex);
    at = bare.lastIndex;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (value.trim() !== '' || close < 0) return MISQUOTED;
      value = text.slice(at + 1, close).replaceAll('""', '"');
      lines += linesIn(value);
      at = close + 1;
      while (text[at] === ' ') at++;
    }
    cells.push(value);
    if (lines > RECORD_LINES) return MISQUOTED;
    if (at >= text.length || text[at] === '\n') return { cells, lines, end: at + 1 };
    if (text[at] !== separator) return MISQUOTED;
  }
  return `has more than ${COLUMNS_MAX} values`;
}

/** The first quotation mark that is not followed by another; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function linesIn(value: string): number {
  let lines = 0;
  for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Most cells: nothing has to be removed. */
const CLEAN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** On one line, without invisible characters and those that the database cannot store. */
const clean = (text: string) =>
  CLEAN.test(text)
    ? text
    : text
        .replace(/\p{Cf}+/gu, '')
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim();
