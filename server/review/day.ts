import { and, eq, gte, isNotNull, notInArray, sql } from 'drizzle-orm';
import { registrationHistory, registrations } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';

const DAY_MS = 86_400_000;

/**
 * What reviewers have decided since 00:00 UTC of what waited for review, without what they have undone, and the median
 * of how long it had waited (ms); null while nothing is decided.
 * @throws AppError `unavailable`
 */
export async function decidedToday({ db }: ServiceContext, now: number) {
  const { at, actor, fromStatus, registrationId } = registrationHistory;
  const [found] = await withRetry(() =>
    db
      .select({
        decided: sql<number>`count(*)::int`,
        medianMs: sql<
          number | null
        >`(percentile_cont(0.5) within group (order by extract(epoch from ${at} - ${registrations.confirmedAt})) * 1000)::float8`,
      })
      .from(registrationHistory)
      .innerJoin(
        registrations,
        and(
          eq(registrations.id, registrationId),
          // Decided and undone, it waits again: the registration doesn't show that decision.
          sql`${at} in (${registrations.decidedAt}, ${registrations.activatedAt})`,
        ),
      )
      .where(
        and(
          gte(at, new Date(now - (now % DAY_MS))),
          eq(fromStatus, 'pending_review'),
          notInArray(actor, [OPERATOR, SYSTEM]),
          isNotNull(registrations.confirmedAt),
        ),
      ),
  );
  return { decided: found?.decided ?? 0, medianMs: found?.medianMs ?? null };
}
