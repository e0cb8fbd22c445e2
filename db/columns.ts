import { sql } from 'drizzle-orm';
import { bigint, text, timestamp } from 'drizzle-orm/pg-core';

/** What several tables of the schema are made of. */

/** The values of a CHECK. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value}'`).join(', '));

/** A moment, to the millisecond, UTC. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' });

/**
 * What every row carries that the read models of several servers follow.
 * `rev` grows by one with each write of the row, under the row's lock: of two versions of a row the
 * one with the higher rev is the newer, whatever the clocks say. `writtenAt` is the database's clock,
 * `writtenBy` the server process: a server asks for what others wrote since it last asked.
 */
export const followed = {
  rev: bigint({ mode: 'number' }).notNull().default(1),
  writtenAt: timestamp({ withTimezone: true, mode: 'date' })
    .notNull()
    .default(sql`now()`),
  writtenBy: text().notNull(),
};
