import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { NOTIFICATION_KINDS, TARGET_KINDS } from '@mesh-registry/protocol/values.schema.ts';
import { list, moment } from './columns.ts';

/** Where the holder of a registration wants to be told what. The address is nobody else's business. */
export const notificationTargets = pgTable(
  'notification_targets',
  {
    registrationId: text().primaryKey(),
    kind: text({ enum: TARGET_KINDS }).notNull(),
    address: text().notNull(),
    /** Signs webhook messages; null for ntfy, which has no signatures. */
    secret: text(),
    enabled: boolean().notNull(),
    onDecision: boolean().notNull(),
    /** Minutes of silence; null: outages are not reported. */
    offlineMinutes: integer(),
    onReturn: boolean().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [check('notification_targets_kind', sql`${table.kind} in (${list(TARGET_KINDS)})`)],
);
export type NotificationTarget = typeof notificationTargets.$inferSelect;

/** Messages to holders: waiting, or sent or given up in the last days. */
export const notificationMessages = pgTable(
  'notification_messages',
  {
    id: text().primaryKey(),
    registrationId: text().notNull(),
    event: text({ enum: NOTIFICATION_KINDS }).notNull(),
    /** The body of the webhook; that of ntfy is made from it. */
    body: text().notNull(),
    createdAt: moment().notNull(),
    attempts: integer().notNull().default(0),
    /** Null once it was delivered or given up. */
    nextAttemptAt: moment(),
    deliveredAt: moment(),
    /** How the last attempt ended, in words, without the address. */
    outcome: text(),
  },
  (table) => [
    index('notification_messages_by_attempt').on(table.nextAttemptAt),
    index('notification_messages_by_registration').on(table.registrationId, table.createdAt),
    check('notification_messages_event', sql`${table.event} in (${list(NOTIFICATION_KINDS)})`),
  ],
);
export type NotificationMessage = typeof notificationMessages.$inferSelect;

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
  (table) => [index('webhook_messages_by_attempt').on(table.nextAttemptAt)],
);
