import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

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
  (t) => [
    primaryKey({ columns: [t.nodeId, t.offlineSince] }),
    index('outages_by_end').on(t.backAt),
  ],
);
export type OutageRow = typeof outages.$inferSelect;

/** One row: which server watches for outages, and since when somebody has watched without a break. */
export const outageWatch = pgTable('outage_watch', {
  id: text().primaryKey(),
  /** Empty: the last one has stopped. */
  server: text().notNull(),
  renewedAt: moment().notNull(),
  measuringSince: moment().notNull(),
});
