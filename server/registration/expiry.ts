import { and, asc, eq, lte } from 'drizzle-orm';
import { registrations } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { changeRegistration } from './state-machine.ts';

/** Expired reservations that one call ends. */
const BATCH = 500;

/**
 * Ends expired reservations. Any number of servers may do this at once, and one failure does not keep the others
 * from ending.
 * @throws AppError `unavailable`
 */
export async function endExpiredReservations(s: ServiceContext, now = s.clock()): Promise<void> {
  const expired = await s.db
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(eq(registrations.status, 'pending_payment'), lte(registrations.expiresAt, new Date(now))),
    )
    .orderBy(asc(registrations.expiresAt))
    .limit(BATCH);
  let failure: unknown;
  for (const { id } of expired)
    await changeRegistration(s, id, now, () => null).catch((error: unknown) => {
      failure ??= error;
    });
  if (failure !== undefined) throw failure as Error;
}
