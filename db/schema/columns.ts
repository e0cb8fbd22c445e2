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
 *
 * `rev` says which of two versions of a row is newer, whatever the clocks say: that with the higher one. Each write of a
 * row adds one to it, under the row's lock. It begins with 1 where no id is used again (registrations,
 * blocked_nodes), and elsewhere (peers, computes, node_keys, former_keys, node_signers, hidden_nodes) with the moment of
 * the first write in milliseconds, so that a row made anew is newer than the deleted one.
 *
 * `writtenAt` is the database's clock and `writtenBy` the server process: for people who look into the database.
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
