import type { Issue } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { appColumns, readAppRow } from './app-export.ts';
import { previewOf, readTable, type Preview, type Table } from './csv-table.ts';
import { NO_DATE } from './export-row.ts';
import type { Mapping } from './import.schema.ts';
import { guessMapping, mappingIssues, readMappedRow } from './mapped-export.ts';
import { sortRows, type ReadFile } from './sort-rows.ts';

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
