import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** Incoming payments from the payment app's exports. Nothing else in a file is stored. */
export const payments = pgTable(
  'payments',
  {
    /** The app's transaction id: importing the same file twice changes nothing. */
    id: text().primaryKey(),
    paidAt: moment().notNull(),
    amountCents: integer().notNull(),
    note: text().notNull(),
    /** The payment note found in `note`, in upper case; null if there is none. */
    noteKey: text(),
    /** When a later file reported the payment as no longer completed; it no longer counts. */
    reversedAt: moment(),
  },
  (t) => [
    index('payments_by_note').on(t.noteKey),
    index('payments_by_id_letters').on(
      sql`(upper(regexp_replace(${t.id}, '[^A-Za-z0-9]', '', 'g')))`,
    ),
  ],
);
