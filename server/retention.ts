import { gt, lt, lte, ne, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import {
  idempotencyKeys,
  notificationMessages,
  notificationTargets,
  outages,
  registrations,
  reviewerInvitations,
  reviewerSessions,
  reviewerUsedCodes,
  reviewerVerifications,
  reviewPresence,
  webhookMessages,
} from '#db/schema/index.ts';
import { CODE_MS } from '#server/accounts/index.ts';
import type { ServiceContext } from './context.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { deleteOldHistory } from '#server/uptime/index.ts';
import { OUTAGE_KEPT_MS } from '@mesh-registry/protocol/values.schema.ts';
import { IDEMPOTENCY_MS } from '#server/registration/index.ts';
import { PRESENCE_MS } from '#server/review/index.ts';

/**
 * Deletes what is stored for a limited time once that has passed, whether or not anyone asks for it. The
 * privacy page states the same times (app/features/docs/stored-tables.ts).
 */

const DAY_MS = 86_400_000;
/** The sender gives up on a message after a week; this deletes messages that no longer have a sender. */
const MESSAGE_MS = 8 * DAY_MS;

/** How long the holder of a registration that has ended can still be told so: retries included. */
const ENDED_TARGET_MS = 7 * DAY_MS;

/** For each table, which rows have expired at `now` (ms). */
const EXPIRED: [PgTable, (now: number) => SQL][] = [
  [idempotencyKeys, (now) => lt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS))],
  [reviewPresence, (now) => lte(reviewPresence.renewedAt, new Date(now - PRESENCE_MS))],
  [reviewerSessions, (now) => lte(reviewerSessions.expiresAt, new Date(now))],
  [reviewerVerifications, (now) => lte(reviewerVerifications.expiresAt, new Date(now))],
  [reviewerInvitations, (now) => lte(reviewerInvitations.expiresAt, new Date(now))],
  [reviewerUsedCodes, (now) => lte(reviewerUsedCodes.usedAt, new Date(now - CODE_MS))],
  // Those that last have no end yet.
  [outages, (now) => lt(outages.backAt, new Date(now - OUTAGE_KEPT_MS))],
  [
    notificationMessages,
    (now) => lt(notificationMessages.createdAt, new Date(now - OUTAGE_KEPT_MS)),
  ],
  // The address leaves with its registration, or a while after that has ended.
  [
    notificationTargets,
    (now) =>
      sql`not exists (select 1 from ${registrations} where ${registrations.id} = ${notificationTargets.registrationId} and (${ne(registrations.status, 'rejected')} or ${gt(registrations.updatedAt, new Date(now - ENDED_TARGET_MS))}))`,
  ],
  [webhookMessages, (now) => lt(webhookMessages.createdAt, new Date(now - MESSAGE_MS))],
];

/** How often expired rows are deleted, milliseconds. */
export const DELETE_EXPIRED_MS = 600_000;

/**
 * Deletes all expired rows. Any number of servers may do so at once, and a table that fails does not
 * hold up the others.
 * @throws AppError `unavailable`
 */
export async function deleteExpired(context: Pick<ServiceContext, 'db' | 'clock'>): Promise<void> {
  const { db, clock } = context;
  const now = clock();
  const results = await Promise.allSettled([
    ...EXPIRED.map(([table, expired]) => withRetry(() => db.delete(table).where(expired(now)))),
    deleteOldHistory(context),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
}
