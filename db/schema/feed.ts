import { bigint, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';

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
  (t) => [primaryKey({ columns: [t.server, t.n] })],
);
