import { asc, count, eq, ilike, lte, or } from 'drizzle-orm';
import {
  Name,
  NAME_RULE,
  Reason,
  REASON_RULE,
} from '@mesh-registry/protocol/rest/fields.schema.ts';
import { nameClaims, registrations, reservedNames } from '#db/schema/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { containing } from '#server/common/search-text.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { readDay } from '#server/audit/history.schema.ts';
import { requireReason, writeRecorded } from '#server/audit/index.ts';
import type { ReservedNameIndex } from './reserved-name-index.ts';
import { NAMES_ON_PAGE } from './reserved-names.schema.ts';

/** A name that nobody may register, until `expiresAt`; null: ever. A registration that already holds it keeps it. */
export type ReservedName = Awaited<ReturnType<typeof listReserved>>['names'][number];

interface ReservingContext extends ServiceContext {
  readonly reservedNames: ReservedNameIndex;
}

const DAY_MS = 86_400_000;

/**
 * One page of the reserved names, by name.
 * @param q part of a name or reason; empty: all
 * @param page from 1
 * @throws AppError `unavailable`
 */
export async function listReserved(
  context: ServiceContext,
  { q, page }: { q: string; page: number },
  now = context.clock(),
) {
  const pattern = containing(q);
  const where =
    q === ''
      ? undefined
      : or(ilike(reservedNames.name, pattern), ilike(reservedNames.reason, pattern));
  const [counted] = await withRetry(() =>
    context.db.select({ total: count() }).from(reservedNames).where(where),
  );
  const total = counted?.total ?? 0;
  const number = Math.min(page, Math.max(1, Math.ceil(total / NAMES_ON_PAGE)));
  const rows = await withRetry(() =>
    context.db
      .select({
        reserved: reservedNames,
        holder: { note: registrations.paymentNote, status: registrations.status },
      })
      .from(reservedNames)
      .leftJoin(nameClaims, eq(nameClaims.name, reservedNames.name))
      .leftJoin(registrations, eq(registrations.id, nameClaims.registrationId))
      .where(where)
      .orderBy(asc(reservedNames.name))
      .limit(NAMES_ON_PAGE)
      .offset((number - 1) * NAMES_ON_PAGE),
  );
  return {
    page: { number, limit: NAMES_ON_PAGE, total },
    names: rows.map(({ reserved, holder }) => ({
      ...reserved,
      expired: reserved.expiresAt !== null && reserved.expiresAt.getTime() <= now,
      /** The registration that held the name before it was reserved, and still does. */
      holder,
    })),
  };
}

/**
 * Reserves a name, also one whose reservation has expired.
 * @param until last day, such as `2026-12-31`, UTC; empty: indefinitely
 * @returns the normalised name
 * @throws AppError `invalid_body`, `name_reserved` (it already is), `unavailable`
 */
export async function reserveName(
  context: ReservingContext,
  input: { name: string; reason: string; until: string },
  reviewer: string,
  now = context.clock(),
): Promise<string> {
  const name = Name.safeParse(input.name.trim());
  const reason = Reason.safeParse(input.reason);
  const until = input.until.trim();
  const expiresAt = readDay(until) === '' ? null : new Date(Date.parse(until) + DAY_MS);
  const issues = [
    ...(name.success ? [] : [{ path: 'name', message: `must be ${NAME_RULE}` }]),
    ...(reason.success ? [] : [{ path: 'reason', message: REASON_RULE }]),
    ...(until !== '' && (expiresAt === null || expiresAt.getTime() <= now)
      ? [{ path: 'until', message: 'must be today or later, such as 2027-01-31, or empty' }]
      : []),
  ];
  if (!name.success || !reason.success || issues.length > 0) throw invalid('invalid_body', issues);
  const row = { reason: reason.data, addedBy: reviewer, addedAt: new Date(now), expiresAt };
  const action = {
    actor: reviewer,
    action: 'name_reserved' as const,
    subject: name.data,
    reason: expiresAt ? `${reason.data} (until ${until})` : reason.data,
  };
  let earlier: { addedBy: string; reason: string } | undefined;
  const written = await writeRecorded(context.db, action, now, async (tx) => {
    const rows = await tx
      .insert(reservedNames)
      .values({ name: name.data, ...row })
      .onConflictDoUpdate({
        target: reservedNames.name,
        set: row,
        setWhere: lte(reservedNames.expiresAt, new Date(now)),
      })
      .returning({ name: reservedNames.name });
    if (rows.length === 0)
      [earlier] = await tx.select().from(reservedNames).where(eq(reservedNames.name, name.data));
    return rows;
  });
  if (!written)
    throw new AppError(
      'name_reserved',
      `${name.data} is already reserved${earlier ? ` by ${earlier.addedBy}: ${earlier.reason}` : ''}.`,
      { issues: [{ path: 'name', message: 'is already reserved' }] },
    );
  context.reservedNames.add(name.data, expiresAt);
  return name.data;
}

/**
 * Removes a name from the list, so that it can be registered.
 * @throws AppError `invalid_body`, `not_found`, `unavailable`
 */
export async function releaseName(
  context: ReservingContext,
  input: { name: string; reason: string },
  reviewer: string,
  now = context.clock(),
): Promise<void> {
  const reason = requireReason(input.reason);
  const action = {
    actor: reviewer,
    action: 'name_released' as const,
    subject: input.name,
    reason,
  };
  const deleted = await writeRecorded(context.db, action, now, (tx) =>
    tx
      .delete(reservedNames)
      .where(eq(reservedNames.name, input.name))
      .returning({ name: reservedNames.name }),
  );
  if (!deleted)
    throw new AppError(
      'not_found',
      'This name is no longer reserved. Someone else has released it.',
    );
  context.reservedNames.delete(input.name);
}
