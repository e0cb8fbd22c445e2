import { and, eq, exists, inArray, isNull, lt, not, notInArray, or, sql } from 'drizzle-orm';
import { OPERATOR, SYSTEM, UNCLAIMED_KEPT_DAYS } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import {
  endedUnclaimed,
  nameClaims,
  notificationMessages,
  notificationTargets,
  payments,
  registrationHistory,
  registrations,
  reviewWork,
  unclaimedUntil,
} from '#db/schema/index.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';

/**
 * Registrations that nobody reported as paid. Anybody can start any number of them without paying, so they don't stay
 * in the database for ever.
 */

const KEPT_MS = UNCLAIMED_KEPT_DAYS * 86_400_000;

/** Rows of a transaction: each statement stays well below its time-out. */
const PAGE_ROWS = 1000;

/**
 * Removes registrations that ended long ago, that nobody reported as paid, and that no reviewer has touched, with all
 * that belongs to them. One whose note an imported payment carries stays: somebody paid. Any number of servers may do
 * so at once. What their starts answered to an Idempotency-Key is stored for a day, and is long gone.
 * @throws AppError `unavailable`
 */
export async function removeUnclaimed(context: ServiceContext, now: number): Promise<void> {
  for (let full = true; full;) {
    const removed = await inTransaction(context.db, (tx) => removePage(tx, context, now));
    context.live.registrations.delete(removed);
    full = removed.length === PAGE_ROWS;
  }
}

async function removePage(tx: Db, { live }: ServiceContext, now: number) {
  const { id, rev, name, status, cashConfirm, activatedAt, paymentNote, expiresAt } = registrations;
  const { registrationId, actor } = registrationHistory;
  const touched = tx
    .select({ one: sql`1` })
    .from(registrationHistory)
    .where(and(eq(registrationId, id), notInArray(actor, [OPERATOR, SYSTEM])));
  const paid = tx
    .select({ one: sql`1` })
    .from(payments)
    .where(eq(payments.noteKey, sql`upper(${paymentNote})`));
  const rows = await tx
    .select({ id, rev, name })
    .from(registrations)
    .where(
      and(
        lt(unclaimedUntil(registrations), sql.param(new Date(now - KEPT_MS), expiresAt)),
        endedUnclaimed(registrations),
        isNull(cashConfirm),
        isNull(activatedAt),
        or(eq(status, 'rejected'), eq(status, 'pending_payment')),
        not(exists(touched)),
        not(exists(paid)),
      ),
    )
    // Two servers lock them in one order, and one that is confirmed meanwhile no longer fits.
    .orderBy(unclaimedUntil(registrations), id)
    .limit(PAGE_ROWS)
    .for('update', { of: registrations });
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return rows;
  const names = rows.map((row) => row.name);
  await tx.delete(registrations).where(inArray(id, ids));
  await tx
    .delete(nameClaims)
    .where(and(inArray(nameClaims.name, names), inArray(nameClaims.registrationId, ids)));
  await tx.delete(registrationHistory).where(inArray(registrationId, ids));
  await tx.delete(notificationTargets).where(inArray(notificationTargets.registrationId, ids));
  await tx.delete(notificationMessages).where(inArray(notificationMessages.registrationId, ids));
  await tx.delete(reviewWork).where(inArray(reviewWork.registrationId, ids));
  await live.recordDeleted(tx, 'registrations', rows);
  return rows;
}
