import { pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** Names that nobody may register. Reviewers edit the list. */
export const reservedNames = pgTable('reserved_names', {
  name: text().primaryKey(),
  reason: text().notNull(),
  addedBy: text().notNull(),
  addedAt: moment().notNull(),
  /** Null: reserved indefinitely. */
  expiresAt: moment(),
});
