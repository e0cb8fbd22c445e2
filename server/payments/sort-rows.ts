import { createHash } from 'node:crypto';
import { fits, type Row, type Table, type UnreadableRow } from './csv-table.ts';
import {
  isSameContent,
  unreadable,
  type Content,
  type ReadPayment,
  type ReadRow,
} from './export-row.ts';
import { DERIVED_ID_PREFIX } from './payments.schema.ts';

/** Sorts the rows of an export: which are payments, which are not, and why. */

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
 * @param read reads one row that has as many cells as the header
 * @param at the columns that a skipped row shows
 */
export function sortRows(
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
        if (earlier && !isSameContent(earlier.content, content)) {
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

/** Each of several equal rows gets its own id, and the same one in the next file. */
function idDeriver(): (content: Content) => string {
  const equal = new Map<string, number>();
  return ({ paidAt, amountCents, note }) => {
    const content = JSON.stringify([paidAt, amountCents, note]);
    const nth = equal.get(content) ?? 0;
    equal.set(content, nth + 1);
    const hash = createHash('sha256').update(`${nth} ${content}`).digest('base64url');
    return `${DERIVED_ID_PREFIX}${hash.slice(0, 32)}`;
  };
}
