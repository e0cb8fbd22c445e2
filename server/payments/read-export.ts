import { createHash } from 'node:crypto';
import type { Issue } from '@mesh-registry/protocol/rest/issues.schema.ts';
import {
  fits,
  previewOf,
  readTable,
  type Preview,
  type Row,
  type Table,
  type UnreadableRow,
} from './csv-table.ts';
import type { Mapping } from './import.schema.ts';
import { DERIVED_ID_PREFIX } from './payments.schema.ts';
import {
  appColumns,
  guessMapping,
  mappingIssues,
  NO_DATE,
  readAppRow,
  readMappedRow,
  unreadable,
  type Content,
  type ReadPayment,
  type ReadRow,
} from './read-row.ts';

/**
 * From the text of an export to incoming payments. Payers' names, accounts and everything else in the file stay here:
 * they are neither in the result nor in the message about an unreadable row.
 */

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
  const read = mapping ? readMapped(table, mapping) : readAppExport(table);
  if (read && 'kind' in read) return read;
  return { kind: 'unknown', ...previewOf(table), guessed: guessMapping(table), refused: read };
}

type Refused = NonNullable<UnknownFile['refused']>;

/** Null if the columns are not those of the payment app. */
function readAppExport(table: Table): ReadFile | Refused | null {
  const columns = appColumns(table.columns);
  if (!columns) return null;
  const file = sortRows(table, (row) => readAppRow(row, columns), columns);
  const first = foreignRow(file, table);
  if (!first) return file;
  return {
    error: `The file has the payment app’s columns, but no payment in it can be read. Line ${first.line} ${first.why}. Export it again, or choose the columns.`,
    issues: [],
  };
}

function readMapped(table: Table, mapping: Mapping): ReadFile | Refused {
  const issues = mappingIssues(table, mapping);
  if (issues.length > 0) return { error: 'Choose one column for each field.', issues };
  const file = sortRows(table, (row) => readMappedRow(row, mapping), mapping);
  const [clash] = file.clashes;
  // An id shared by two payments is no error of the file: the wrong column was chosen.
  if (clash)
    return {
      error: `Line ${clash.line} ${clash.why}. Choose a column with a different ID in every row, or none.`,
      issues: [{ path: 'id', message: 'is the same for different payments' }],
    };
  const [first] = file.unreadable;
  if (first && file.unreadable.length === file.rows)
    return {
      error: `No row can be read with these columns. Line ${first.line} ${first.why}. Choose other columns or another date format.`,
      issues: [],
    };
  return file;
}

/**
 * A row with the app's columns that the app did not write: somebody saved the export in a spreadsheet, which changes
 * the dates first. An error in a single row does not count.
 */
function foreignRow({ payments, unreadable, rows }: ReadFile, table: Table) {
  if (payments.length > 0) return undefined;
  const broken = new Set(table.unreadable);
  const foreign = unreadable.filter((row) => !broken.has(row));
  return foreign.length + broken.size === rows
    ? foreign[0]
    : foreign.find(({ why }) => why === NO_DATE);
}

/** Skipped rows that are listed one by one. */
const SKIPPED_LISTED = 100;

/** A row that was not imported. */
export interface SkippedRow {
  line: number;
  why: string;
  /** Date and amount as the file has them; empty for an unreadable row, where any cell may name people. */
  cells: string[];
}

const WHY_SKIPPED = {
  outgoing: 'outgoing payment',
  other: 'not a payment in US dollars from someone else',
  incomplete: 'not completed',
  reversed: 'failed, cancelled or refunded',
};

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
  /** At most 100 of the rows that are not imported, by line. Unreadable ones are never crowded out by the others. */
  skipped: SkippedRow[];
  /** Unreadable rows whose id belongs to another payment in an earlier row. */
  clashes: UnreadableRow[];
  /** Ids of incomplete payments that will never be completed. */
  reversed: string[];
}

/**
 * Sorts the rows of an export: which are payments, which are not, and why.
 * @param read reads one row that has as many cells as the header
 * @param at the columns that a skipped row shows
 */
function sortRows(
  { rows, columns, unreadable: broken }: Table,
  read: (row: Row) => ReadRow,
  at: { date: number; amount: number },
): ReadFile {
  const payments: ReadPayment[] = [];
  const counts = { outgoing: 0, other: 0, incomplete: 0 };
  const notRead = [...broken];
  const clashes: UnreadableRow[] = [];
  const others: SkippedRow[] = [];
  const reversed: (string | Content)[] = [];
  const seen = new Map<string, { line: number; content: Content }>();
  const deriveId = idDeriver();

  for (const row of rows) {
    const { line, cells } = row;
    const result = fits(row, columns)
      ? read(row)
      : unreadable(`has ${cells.length} values, but the header has ${columns.length}`);
    switch (result.kind) {
      case 'payment': {
        const { id, content } = result;
        const earlier = id === null ? undefined : seen.get(id);
        if (earlier && contentKey(earlier.content) !== contentKey(content)) {
          const why = `has the same transaction ID as line ${earlier.line}, but is another payment`;
          clashes.push({ line, why });
          break;
        }
        if (id !== null) seen.set(id, { line, content });
        payments.push({ ...content, id: id ?? deriveId(content) });
        break;
      }
      case 'unreadable':
        notRead.push({ line, why: result.why });
        break;
      default:
        counts[result.kind === 'reversed' ? 'incomplete' : result.kind]++;
        if (result.kind === 'reversed') reversed.push(result.of);
        others.push({
          line,
          why: WHY_SKIPPED[result.kind],
          cells: [cells[at.date] ?? '', cells[at.amount] ?? ''],
        });
    }
  }
  const unreadableRows = [...notRead, ...clashes].sort(byLine);
  return {
    kind: 'payments',
    rows: rows.length + broken.length,
    payments,
    ...counts,
    unreadable: unreadableRows,
    skipped: [...unreadableRows.map((row) => ({ ...row, cells: [] })), ...others]
      .slice(0, SKIPPED_LISTED)
      .sort(byLine),
    clashes,
    // Derived after those of the completed ones: of two equal payments, one is reversed and one stays.
    reversed: reversed.map((of) => (typeof of === 'string' ? of : deriveId(of))),
  };
}

const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;

/** The same text for the same content. */
const contentKey = ({ paidAt, amountCents, note }: Content): string =>
  JSON.stringify([paidAt, amountCents, note]);

/** Each of several equal rows gets its own id, and the same one in the next file. */
function idDeriver(): (content: Content) => string {
  const equal = new Map<string, number>();
  return (content) => {
    const key = contentKey(content);
    const nth = equal.get(key) ?? 0;
    equal.set(key, nth + 1);
    const hash = createHash('sha256').update(`${nth} ${key}`).digest('base64url');
    return `${DERIVED_ID_PREFIX}${hash.slice(0, 32)}`;
  };
}
