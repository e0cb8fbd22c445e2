import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';

/** Periods that are listed, at most. */
const PERIODS_MAX = 5;

/**
 * The latest times in which a name was or is active, as everybody may know them: newest first, at most 5.
 * @param name normalised
 * @throws AppError `unavailable`
 */
export async function activePeriods(db: Db, name: string) {
  const rows = await withRetry(() =>
    db
      .select()
      .from(registrations)
      .where(and(eq(registrations.name, name), isNotNull(registrations.activatedAt)))
      .orderBy(desc(registrations.activatedAt))
      .limit(PERIODS_MAX),
  );
  return rows.flatMap(({ nodeId, kinds, status, activatedAt, decidedAt, updatedAt }) =>
    activatedAt === null
      ? []
      : {
          nodeId,
          kinds,
          activatedAt: activatedAt.toISOString(),
          /** Null while it is active. */
          endedAt: status === 'active' ? null : (decidedAt ?? updatedAt).toISOString(),
        },
  );
}
