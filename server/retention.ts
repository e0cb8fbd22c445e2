import type { Expired, Repeated } from '#server/common/rooms.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from './context.ts';

/** How often expired rows are deleted, milliseconds. */
const DELETE_EXPIRED_MS = 600_000;

/**
 * Deletes what the rooms stored for a limited time that has passed, whether or not anyone asks for it. Any number of
 * servers may do so at once, and a table that fails does not hold up the others.
 * @throws AppError `unavailable`
 */
async function deleteExpired(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  expired: Expired[],
): Promise<void> {
  const now = clock();
  const results = await Promise.allSettled(
    expired.map((each) => {
      if (typeof each === 'function') return each(db, now);
      const [table, where] = each;
      return withRetry(() => db.delete(table).where(where(now)));
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
}

/** @param expired what all rooms store for a limited time */
export function createRetention(context: ServiceContext, expired: () => Expired[]) {
  const work = () => deleteExpired(context, expired());
  const repeats: Repeated[] = [
    { ms: DELETE_EXPIRED_MS, failure: 'could not delete expired data', work },
  ];
  return { repeats, deleteExpired: work };
}
