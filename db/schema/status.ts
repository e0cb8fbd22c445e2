import { sql } from 'drizzle-orm';
import { check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/**
 * What each server process counted in each minute of the last day: the history of /status. A process
 * writes its whole row for a minute, so that writing it twice is harmless; readers sum the rows.
 * A minute without a row is one in which no process ran.
 */
export const statusMinutes = pgTable(
  'status_minutes',
  {
    minute: moment().notNull(),
    /** The random id of the process, unrelated to its machine or address. */
    server: text().notNull(),
    /** Checks of Genesis by outcome; latencies (ms) cover the successful ones. */
    checksOk: integer().notNull(),
    checksFailed: integer().notNull(),
    latencySumMs: integer().notNull(),
    latencyMaxMs: integer().notNull(),
    /** Committed heartbeats and announcements. */
    pings: integer().notNull(),
    announces: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.minute, t.server] }),
    check(
      'status_minutes_counts',
      sql`least(${t.checksOk}, ${t.checksFailed}, ${t.latencySumMs}, ${t.latencyMaxMs}, ${t.pings}, ${t.announces}) >= 0`,
    ),
  ],
);
