import { and, asc, count, desc, eq, ilike, or } from 'drizzle-orm';
import { registrations } from '#db/schema/index.ts';
import { containing } from '#server/common/search-text.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { presentRow, type ReviewContext } from './rows.ts';
import type { ReviewSearch } from './search.schema.ts';

/** Registrations per page. */
const PAGE_LIMIT = 50;

/** One page of all registrations, newest change first. @throws AppError `unavailable` */
export async function searchRegistrations(
  context: ReviewContext,
  { q, status, page }: ReviewSearch,
  now = context.clock(),
) {
  const { name, label, paymentNote, nodeId, cashConfirm } = registrations;
  const found =
    q === ''
      ? undefined
      : or(
          ...[name, label, paymentNote, nodeId, cashConfirm].map((text) =>
            ilike(text, containing(q)),
          ),
        );
  const ofStatus = await withRetry(() =>
    context.db
      .select({ status: registrations.status, n: count() })
      .from(registrations)
      .where(found)
      .groupBy(registrations.status),
  );
  const counts = { any: 0, pending_payment: 0, pending_review: 0, active: 0, rejected: 0 };
  for (const { status, n } of ofStatus) {
    counts[status] = n;
    counts.any += n;
  }
  const total = counts[status ?? 'any'];
  const number = Math.min(page, Math.max(1, Math.ceil(total / PAGE_LIMIT)));
  const rows = await withRetry(() =>
    context.db
      .select()
      .from(registrations)
      .where(and(found, status === null ? undefined : eq(registrations.status, status)))
      .orderBy(desc(registrations.updatedAt), asc(registrations.id))
      .limit(PAGE_LIMIT)
      .offset((number - 1) * PAGE_LIMIT),
  );
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    /** How many registrations in each state match the text. */
    counts,
    page: { number, limit: PAGE_LIMIT, total },
    rows: rows.map((row) => presentRow(context, row)),
  };
}
