import { lt, lte, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { withRetry } from '#server/common/with-retry.ts';
import {
  idempotencyKeys,
  reviewerInvitations,
  reviewerSessions,
  reviewerUsedCodes,
  reviewerVerifications,
  reviewTakes,
  webhookMessages,
} from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { IDEMPOTENCY_MS } from '#server/registration/registration.ts';
import { TAKE_MS } from '#server/review/presence.ts';
import { CODE_MS } from '#server/accounts/sign-in.ts';

/**
 * What is kept for a time is deleted when that is over, whether or not somebody comes by who would see
 * that it is. The times are those that the privacy page tells (app/features/docs/stored.ts).
 */

const DAY_MS = 86_400_000;
/** The sender gives a message up after a week; this is for messages that have no sender any more. */
const MESSAGE_MS = 8 * DAY_MS;

/** Of each table the rows whose time is over at `now`. */
const OVER: [PgTable, (now: number) => SQL][] = [
  [idempotencyKeys, (now) => lt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS))],
  [reviewTakes, (now) => lte(reviewTakes.takenAt, new Date(now - TAKE_MS))],
  [reviewerSessions, (now) => lte(reviewerSessions.expiresAt, new Date(now))],
  [reviewerVerifications, (now) => lte(reviewerVerifications.expiresAt, new Date(now))],
  [reviewerInvitations, (now) => lte(reviewerInvitations.expiresAt, new Date(now))],
  [reviewerUsedCodes, (now) => lte(reviewerUsedCodes.usedAt, new Date(now - CODE_MS))],
  [webhookMessages, (now) => lt(webhookMessages.createdAt, new Date(now - MESSAGE_MS))],
];

/** How often that is done, milliseconds. */
export const FORGET_MS = 600_000;

/**
 * Deletes what is over. Any number of servers may do it at once; a table that fails keeps none of the others.
 * @throws AppError `unavailable`
 */
export async function forget({ db, clock }: Pick<ServiceContext, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  const results = await Promise.allSettled(
    OVER.map(([table, over]) => withRetry(() => db.delete(table).where(over(now)))),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
}
