import { AppError } from '#server/common/errors.schema.ts';
import { DATE_ORDERS } from './payments.schema.ts';
import { readMoment, readMoney } from './cells.ts';

/**
 * From the bytes of an export to its head and its rows. A parser of CSV would take a quotation mark too many for
 * the begin of a very long value, and lose the rows below it: here a broken row costs itself only. Records are
 * read one at a time, each sign about once, and no further than to the first that is one too many: the whole
 * service waits meanwhile.
 */

/** More rows than this at once would hold up everybody else. */
const ROWS_MAX = 20_000;
/** More columns than a person can choose from. */
const COLUMNS_MAX = 200;
/** A value of more lines is taken for a quotation mark that is never closed. */
const RECORD_LINES = 20;
/** Banks write their name, the account and the balance above the head; it is among so many records. */
const HEAD_WITHIN = 20;
/** Characters; a file may have nothing but empty lines. */
const HEAD_TEXT = 64 * 1024;
const SAMPLE_ROWS = 5;

export interface Row {
  /** Where it begins in the file, from 1. */
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
  /** The line of the head, where something stands above it: that is left out. */
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
        `The file has more than ${ROWS_MAX} rows, and no more are read at once. Export a shorter time.`,
        { issues: [{ path: 'file', message: `has more than ${ROWS_MAX} rows` }] },
      );
    if (isRow(record)) table.rows.push(record);
    else table.unreadable.push(record);
  }
  return table;
}

export interface Preview extends Pick<Table, 'columns' | 'headLine'> {
  /** The first rows, for a person to look at. */
  sample: string[][];
}

export const previewOf = ({ columns, headLine, rows }: Table): Preview => ({
  columns,
  headLine,
  sample: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells),
});

/** What a person is shown of a file to say where its columns are; no more than that is read. @throws as {@link readTable} */
export function preview(text: string): Preview {
  const { records, head } = withHead(text);
  const rows = first(SAMPLE_ROWS, records).filter(isRow);
  return previewOf({ ...head, rows, unreadable: [] });
}

/** A separator at the end of each line is one empty cell too many, and no harm. */
export const fits = ({ cells }: Row, columns: string[]): boolean =>
  cells.length >= columns.length && widthOf(cells) <= columns.length;

/** An export's bytes as text: UTF-8, UTF-16 where it says so, else what older bank software writes. */
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

/* The head. */

/** The head, and the records below it, yet to be read. */
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

const NO_HEAD = 'has no head, a line above its rows that names two or more columns';

/**
 * The record with the most cells, read with this separator: what stands above a head has fewer. A row with a
 * comma too many has more, but also an amount or a date, which no column is called.
 */
function headBy(text: string, separator: string) {
  const records = first(HEAD_WITHIN, recordsOf(text, separator));
  const rows = records.filter(isRow);
  const names = rows.filter(({ cells }) => !cells.some(isValue));
  // Where none names anything the separator is found all the same, to be told that the head is missing.
  const candidates = names.length > 0 ? names : rows;
  const width = candidates.reduce((most, { cells }) => Math.max(most, widthOf(cells)), 0);
  const head = candidates.find(({ cells }) => widthOf(cells) === width);
  // What cannot be read above it may have been the head itself.
  if (!head || records.some((record) => !isRow(record) && record.line < head.line))
    return { separator, named: false, width: 0, fitting: 0 };
  /** In a file of semicolons some rows have commas as well, but never as many of them in each. */
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

/** Without those that are empty; a line of separators only is. @param text its lines end with \n */
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
      // The lines that it would have swallowed are read on their own.
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

const MISQUOTED = 'has a quotation mark where none may be, or lacks one';

/**
 * @param bare matches the signs up to what ends a value that is not quoted
 * @returns what it has and where the next one begins, or why it cannot be read
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

/** The first quotation mark that is not followed by another; -1: there is none. */
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

/** What most cells are: there is nothing to take away. */
const CLEAN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** On one line, without what cannot be seen or the database cannot keep. */
const clean = (text: string) =>
  CLEAN.test(text)
    ? text
    : text
        .replace(/\p{Cf}+/gu, '')
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim();
