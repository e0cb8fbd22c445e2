import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgSequence, pgTable, text } from 'drizzle-orm/pg-core';
import { ACTIONS, DECISIONS } from '@mesh-registry/protocol/values.schema.ts';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';

/** Which reviewer has which registration open, so that two do not work on the same one. */
export const reviewPresence = pgTable('review_takes', {
  registrationId: text().primaryKey(),
  reviewer: text().notNull(),
  renewedAt: moment('taken_at').notNull(),
});

/** Who sees to a registration, and what the reviewers remark on it, for themselves alone. */
export const reviewWork = pgTable('review_work', {
  registrationId: text().primaryKey(),
  /** The reviewer's address; null: nobody. */
  assignee: text(),
  /** Null, like who wrote it and when, if there is none. */
  remark: text(),
  remarkBy: text(),
  remarkAt: moment(),
});

/** Decisions of the last few seconds, which can be undone until they take effect. One per registration. */
export const reviewDecisions = pgTable(
  'review_decisions',
  {
    registrationId: text().primaryKey(),
    reviewer: text().notNull(),
    decision: text({ enum: DECISIONS }).notNull(),
    reason: text(),
    /** Rejections only: the registration's `rev` that the reviewer saw. A later one is not rejected. */
    rev: bigint({ mode: 'number' }),
    madeAt: moment().notNull(),
    effectiveAt: moment().notNull(),
  },
  (table) => [
    index('review_decisions_by_effect').on(table.effectiveAt),
    check('review_decisions_decision', sql`${table.decision} in (${list(DECISIONS)})`),
  ],
);

/**
 * Counts the rows removed from the two tables above. A row that was added and removed between two polls
 * leaves no difference in the tables, but a page may have read it in the meantime.
 */
export const queueRemovals = pgSequence('review_desk_removals');

/**
 * Nodes whose heartbeats and announcements are rejected, and which no list shows. `id` is the node's id. A
 * lifted block keeps its row, so that other servers learn of it.
 */
export const blockedNodes = pgTable(
  'blocked_nodes',
  {
    id: text().primaryKey(),
    reason: text().notNull(),
    blockedBy: text().notNull(),
    blockedAt: moment().notNull(),
    liftedAt: moment(),
    ...replicationColumns,
  },
  // Nobody reads by it any more: the next migration may drop it.
  (table) => [index('blocked_nodes_by_writing').on(table.writtenAt)],
);
export type BlockedRow = Replicated<typeof blockedNodes.$inferSelect>;

/** Append-only: what reviewers did apart from deciding (registration_history has the decisions). */
export const reviewActions = pgTable(
  'review_actions',
  {
    id: text().primaryKey(),
    at: moment().notNull(),
    actor: text().notNull(),
    action: text({ enum: ACTIONS }).notNull(),
    /** The object of the action: a name, a node's id, or a reviewer's address. */
    subject: text().notNull(),
    reason: text(),
  },
  (table) => [
    index('review_actions_by_time').on(table.at),
    check('review_actions_action', sql`${table.action} in (${list(ACTIONS)})`),
  ],
);

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
  (table) => [
    index('payments_by_note').on(table.noteKey),
    index('payments_by_id_letters').on(
      sql`(upper(regexp_replace(${table.id}, '[^A-Za-z0-9]', '', 'g')))`,
    ),
  ],
);
