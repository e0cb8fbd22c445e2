import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/**
 * Undelivered messages to REVIEW_WEBHOOK_URL, written in the transaction they report. Deleted after
 * delivery.
 */
export const webhookMessages = pgTable(
  'webhook_messages',
  {
    id: text().primaryKey(),
    body: text().notNull(),
    createdAt: moment().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment().notNull(),
  },
  (t) => [index('webhook_messages_by_attempt').on(t.nextAttemptAt)],
);
