import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/**
 * In which quarters of an hour each node and each compute offer was heard of: one row for each of them and UTC day, one
 * bit for each of the day's 96 quarters (bit n of PostgreSQL's `get_bit`). An offer is named as in its own table,
 * `<nodeId>:<name>`; no node's id has a colon.
 * The day comes first in the key: writes of a day stay in one part of the index, old days are deleted from one end of
 * it, and the 90 days of a node are 90 probes. The migration leaves room on each page for in-place (HOT) updates.
 */
export const nodeDays = pgTable(
  'node_days',
  { day: date({ mode: 'string' }).notNull(), node: text().notNull(), bits: bytes().notNull() },
  (table) => [primaryKey({ columns: [table.day, table.node] })],
);

/** The network at the end of each quarter of an hour. A quarter without a row is one in which no server ran. */
export const historyQuarters = pgTable(
  'history_quarters',
  {
    /** Its first moment. */
    quarter: moment().primaryKey(),
    /** The process that records it, and since when: if it does not finish, another one takes over. */
    claimedBy: text().notNull(),
    claimedAt: moment().notNull(),
    /** Null while it is being recorded. False: the service was away, and nothing is known. */
    measured: boolean(),
    /** Nodes by status; null unless measured, as all that follows. */
    online: integer(),
    syncing: integer(),
    idle: integer(),
    offline: integer(),
    /** Nodes that joined or left since the measured quarter before. */
    joined: integer(),
    left: integer(),
    /** The sum over all available compute offers. */
    freeSlots: bigint({ mode: 'number' }),
  },
  (table) => [
    check(
      'history_quarters_counts',
      sql`not ${table.measured} or least(${table.online}, ${table.syncing}, ${table.idle}, ${table.offline}, ${table.joined}, ${table.left}, ${table.freeSlots}) >= 0`,
    ),
  ],
);

/** The measured quarters of each UTC day, added up. */
export const historyDays = pgTable('history_days', {
  day: date({ mode: 'string' }).primaryKey(),
  /** How many there are. */
  quarters: integer().notNull(),
  online: bigint({ mode: 'number' }).notNull(),
  syncing: bigint({ mode: 'number' }).notNull(),
  idle: bigint({ mode: 'number' }).notNull(),
  offline: bigint({ mode: 'number' }).notNull(),
  joined: integer().notNull(),
  left: integer().notNull(),
  freeSlots: bigint({ mode: 'number' }).notNull(),
});

/**
 * More numbers of each UTC day, added up over its measured quarters: `quarters` is how many of them were counted, `offers`
 * and `names` are compute offers and active names, and `class:S` and `region:EU` nodes of a class and a region. A day
 * without rows is one of an earlier release, and not one without nodes.
 */
export const historyDayCounts = pgTable(
  'history_day_counts',
  {
    day: date({ mode: 'string' }).notNull(),
    name: text().notNull(),
    sum: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
);

/**
 * Where nodes were heard of: in each quarter of an hour of the last day, and in each UTC day of the last 90 days. It
 * holds counts by place, and no node.
 */
export const historyPlaces = pgTable(
  'history_places',
  {
    /** The length of the step: 900 or 86400. */
    stepSeconds: integer().notNull(),
    /** Its first moment. */
    at: moment().notNull(),
    /** Nodes that were heard of in it, and places with such nodes. */
    nodes: integer().notNull(),
    places: integer().notNull(),
    /** The answer of GET /api/mesh/history/places: JSON, compressed by brotli. */
    body: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.stepSeconds, table.at] })],
);

/** Each time that a node fell silent. Closed ones are stored for 90 days. */
export const outages = pgTable(
  'outages',
  {
    nodeId: text().notNull(),
    /** The last heartbeat before it. */
    offlineSince: moment().notNull(),
    /** From when on the silence counts: later than `offlineSince` where the service itself was away. */
    measuredSince: moment().notNull(),
    /** The heartbeat that ended it; null while it lasts. */
    backAt: moment(),
  },
  (table) => [
    primaryKey({ columns: [table.nodeId, table.offlineSince] }),
    // Those that last are read from one end of it, in the order of their nodes.
    index('outages_by_end').on(table.backAt, table.nodeId),
  ],
);
export type OutageRow = typeof outages.$inferSelect;
