import { sql } from 'drizzle-orm';
import { bigint, text, timestamp } from 'drizzle-orm/pg-core';

/** Column types and columns that several tables share. */

/** The values of a CHECK constraint, quoted. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value}'`).join(', '));

/** A moment in UTC, to the millisecond. @param column its name, if it is not that of the field in snake case */
export const moment = (column = '') =>
  timestamp(column, { withTimezone: true, precision: 3, mode: 'date' });

/**
 * Columns of every table that servers copy from each other into their read models.
 * `rev` grows by one with each write of the row, under the row's lock: of two versions of a row, the
 * one with the higher rev is newer, whatever the clocks say. `writtenAt` is the database's clock and
 * `writtenBy` the server process: for people who look into the database, and for servers of 0.1, which
 * poll by them while they are replaced.
 */
export const replicationColumns = {
  rev: bigint({ mode: 'number' }).notNull().default(1),
  writtenAt: timestamp({ withTimezone: true, mode: 'date' })
    .notNull()
    .default(sql`now()`),
  writtenBy: text().notNull(),
};

/** A row as read models hold it. */
export type Replicated<Row> = Omit<Row, 'writtenAt' | 'writtenBy'>;
