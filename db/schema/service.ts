import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
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
  (table) => [
    primaryKey({ columns: [table.minute, table.server] }),
    check(
      'status_minutes_counts',
      sql`least(${table.checksOk}, ${table.checksFailed}, ${table.latencySumMs}, ${table.latencyMaxMs}, ${table.pings}, ${table.announces}) >= 0`,
    ),
  ],
);

/**
 * What the servers have written lately, for one another's read models: one record for each committed group, inserted
 * by the statement or transaction that writes the rows. `n` counts the groups of its server, so a reader knows exactly
 * which records it lacks, without comparing clocks. Records are deleted once every reader has had time to read them.
 */
export const feed = pgTable(
  'feed',
  {
    server: text().notNull(),
    n: bigint({ mode: 'number' }).notNull(),
    at: timestamp({ withTimezone: true, mode: 'date' })
      .notNull()
      .default(sql`now()`),
    /** The table of the rows. */
    source: text().notNull(),
    /** The rows, see server/live/replica/feed-record.ts. */
    body: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.server, table.n] })],
);

/** Periods in which a server process could store heartbeats. They tell silent nodes from a service that was away. */
export const servicePeriods = pgTable(
  'service_periods',
  { server: text().notNull(), since: moment().notNull(), until: moment().notNull() },
  (table) => [primaryKey({ columns: [table.server, table.since] })],
);

/** One row: which server watches for outages, and since when somebody has watched without a break. */
export const outageWatch = pgTable('outage_watch', {
  id: text().primaryKey(),
  /** Empty: the last one has stopped. */
  server: text().notNull(),
  renewedAt: moment().notNull(),
  measuringSince: moment().notNull(),
});

/**
 * One row: where the registry's public log ends, and which process may continue it. The log is a directory, of which there
 * may be old copies; whoever wants to add to it has to move this row on, from the very block with which its log ends.
 * LOG_HEAD is its id.
 */
export const LOG_HEAD = 'registry';
export const logHead = pgTable('log_head', {
  id: text().primaryKey(),
  /** 0: no block yet. */
  height: integer().notNull(),
  blockId: text().notNull(),
  /** The blocks that were added last, in base64, a line each: a crash may have kept them from the disk. */
  frames: text().notNull(),
  /** The random id of the process that writes; empty: none. */
  writer: text().notNull(),
  /** Until then nobody else writes, by the database's clock. */
  leaseUntil: moment().notNull(),
  /** The row comes from a backup, so peers may have later blocks. */
  mustCompare: boolean().notNull().default(false),
});
