import { asc, count, eq, ilike, inArray, lte, or } from 'drizzle-orm';
import { nameClaims, registrations, reservedNames } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import {
  Name,
  NAME_RULE,
  Reason,
  REASON_RULE,
} from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { isRecorded, newActionId, recordAction, requireReason } from '#server/audit/index.ts';
import { readDay } from '#server/audit/history.schema.ts';
import type { ReservedNameIndex } from './reserved-name-index.ts';
import { NAMES_ON_PAGE } from './reserved-names.schema.ts';

/** A name that nobody may register. A registration that already holds it keeps it. */
export interface ReservedName {
  name: string;
  reason: string;
  addedBy: string;
  addedAt: Date;
  /** The first moment at which it is available again; null: never. */
  expiresAt: Date | null;
  expired: boolean;
  /** The registration that held the name before it was reserved, and still does. */
  holder: { note: string; status: RegistrationStatus } | null;
}

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
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
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
      .select()
      .from(reservedNames)
      .where(where)
      .orderBy(asc(reservedNames.name))
      .limit(NAMES_ON_PAGE)
      .offset((number - 1) * NAMES_ON_PAGE),
  );
  const holders =
    rows.length === 0
      ? []
      : await withRetry(() =>
          context.db
            .select({
              name: nameClaims.name,
              note: registrations.paymentNote,
              status: registrations.status,
            })
            .from(nameClaims)
            .innerJoin(registrations, eq(registrations.id, nameClaims.registrationId))
            .where(
              inArray(
                nameClaims.name,
                rows.map(({ name }) => name),
              ),
            ),
        );
  return {
    page: { number, limit: NAMES_ON_PAGE, total },
    names: rows.map((row): ReservedName => {
      const holder = holders.find(({ name }) => name === row.name);
      return {
        ...row,
        expired: row.expiresAt !== null && row.expiresAt.getTime() <= now,
        holder: holder ? { note: holder.note, status: holder.status } : null,
      };
    }),
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
    id: newActionId(),
    actor: reviewer,
    action: 'name_reserved' as const,
    subject: name.data,
    reason: expiresAt ? `${reason.data} (until ${until})` : reason.data,
  };

  await withRetry(() =>
    context.db.transaction(async (tx) => {
      const written = await tx
        .insert(reservedNames)
        .values({ name: name.data, ...row })
        .onConflictDoUpdate({
          target: reservedNames.name,
          set: row,
          setWhere: lte(reservedNames.expiresAt, new Date(now)),
        })
        .returning({ name: reservedNames.name });
      if (written.length === 0) {
        if (await isRecorded(tx, action)) return;
        const [existing] = await tx
          .select()
          .from(reservedNames)
          .where(eq(reservedNames.name, name.data));
        throw new AppError(
          'name_reserved',
          `${name.data} is already reserved${existing ? ` by ${existing.addedBy}: ${existing.reason}` : ''}.`,
          { issues: [{ path: 'name', message: 'is already reserved' }] },
        );
      }
      await recordAction(tx, action, now);
    }),
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
    id: newActionId(),
    actor: reviewer,
    action: 'name_released' as const,
    subject: input.name,
    reason,
  };
  await withRetry(() =>
    context.db.transaction(async (tx) => {
      const deleted = await tx
        .delete(reservedNames)
        .where(eq(reservedNames.name, input.name))
        .returning({ name: reservedNames.name });
      if (deleted.length === 0) {
        if (await isRecorded(tx, action)) return;
        throw new AppError(
          'not_found',
          'This name is no longer reserved. Someone else has released it.',
        );
      }
      await recordAction(tx, action, now);
    }),
  );
  context.reservedNames.delete(input.name);
}
