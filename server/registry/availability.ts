import { and, eq, gt, inArray, isNull, or } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { isExpired, nameClaims, registrations, reservedNames } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { Name, NAME_MAX, NAME_MIN } from '#server/common/fields.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { Availability } from './registry.schema.ts';

/**
 * Why names cannot be registered at `now` (ms); available names are left out. The one rule behind the
 * availability check, the start of a registration, and suggestions. Two queries for any number of names.
 * @param names normalised
 */
export async function whyUnavailable(
  db: Db,
  names: string[],
  now: number,
): Promise<Map<string, 'reserved' | 'taken'>> {
  const why = new Map<string, 'reserved' | 'taken'>();
  const holders = await db
    .select({ holder: registrations })
    .from(nameClaims)
    .innerJoin(registrations, eq(registrations.id, nameClaims.registrationId))
    .where(inArray(nameClaims.name, names));
  for (const { holder } of holders) if (!isExpired(holder, now)) why.set(holder.name, 'taken');
  const reserved = await db
    .select({ name: reservedNames.name })
    .from(reservedNames)
    .where(
      and(
        inArray(reservedNames.name, names),
        or(isNull(reservedNames.expiresAt), gt(reservedNames.expiresAt, new Date(now))),
      ),
    );
  for (const { name } of reserved) why.set(name, 'reserved');
  return why;
}

/** The same for one name; null if it is available. */
export async function whyNameUnavailable(
  db: Db,
  name: string,
  now: number,
): Promise<'reserved' | 'taken' | null> {
  return (await whyUnavailable(db, [name], now)).get(name) ?? null;
}

/** Whether a registration with this name would be accepted now. @throws AppError `unavailable` */
export async function availability(
  context: ServiceContext,
  raw: string,
  now = context.clock(),
): Promise<Availability> {
  const parsed = Name.safeParse(raw);
  if (!parsed.success)
    return {
      ok: true,
      name: raw.toLowerCase(),
      available: false,
      reason: 'invalid',
      message: explainInvalid(raw),
    };
  const name = parsed.data;
  const reason = await withRetry(() => whyNameUnavailable(context.db, name, now));
  const message = {
    available: `${name} is available.`,
    taken: `${name} is taken.`,
    reserved: `${name} is reserved and cannot be registered.`,
  }[reason ?? 'available'];
  return { ok: true, name, available: reason === null, reason, message };
}

/** What to change in an invalid name. */
function explainInvalid(raw: string): string {
  const [character] = /[^A-Za-z0-9_-]/u.exec(raw) ?? [];
  if (character !== undefined) {
    const shown = /\s/.test(character)
      ? 'spaces'
      : /[\p{C}\p{M}]/u.test(character)
        ? 'this character'
        : `“${character}”`;
    return `Names cannot contain ${shown}. Use only a–z, 0–9, - and _.`;
  }
  if (raw.length < NAME_MIN) return `Names must have at least ${NAME_MIN} characters.`;
  if (raw.length > NAME_MAX)
    return `Names can have at most ${NAME_MAX} characters; this one has ${raw.length}.`;
  return 'Names must start and end with a letter or number.';
}
