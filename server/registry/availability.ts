import { and, eq, gt, inArray, isNull, or } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { nameClaims, registrations, reservedNames } from '#db/schema.ts';
import { Name, NAME_MAX, NAME_MIN, NAME_SIGNS } from '#server/common/fields.schema.ts';
import type { Availability } from './registry.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { isDue } from '#server/registration/state-machine.ts';

/** Which names can be had, by one rule for asking, for starting, and for offering others. */

/** Names offered in the place of one that cannot be had. */
const OFFERED = 4;

/**
 * Why (normalised) names cannot be registered at `now`; a name that can is left out. Two queries, however
 * many names.
 */
async function whyUnavailable(
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
  for (const { holder } of holders) if (!isDue(holder, now)) why.set(holder.name, 'taken');
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

/** The same of one name; null where it can be registered. */
export async function whyNameUnavailable(
  db: Db,
  name: string,
  now: number,
): Promise<'reserved' | 'taken' | null> {
  return (await whyUnavailable(db, [name], now)).get(name) ?? null;
}

/** Whether start would accept the name at this moment. @throws AppError `unavailable` */
export async function availability(
  s: ServiceContext,
  raw: string,
  now = s.clock(),
): Promise<Availability> {
  const parsed = Name.safeParse(raw);
  if (!parsed.success)
    return {
      ok: true,
      name: raw.toLowerCase(),
      available: false,
      reason: 'invalid',
      message: wrongIn(raw),
    };
  const name = parsed.data;
  const reason = await withRetry(() => whyNameUnavailable(s.db, name, now));
  const message = {
    free: `${name} is free.`,
    taken: `${name} is taken.`,
    reserved: `${name} is reserved and cannot be registered.`,
  }[reason ?? 'free'];
  return { ok: true, name, available: reason === null, reason, message };
}

/** What of a text that is no name would have to be another. */
function wrongIn(raw: string): string {
  const [sign] = /[^A-Za-z0-9_-]/u.exec(raw) ?? [];
  if (sign !== undefined) {
    const shown = /\s/.test(sign)
      ? 'a space'
      : /[\p{C}\p{M}]/u.test(sign)
        ? 'that sign'
        : `“${sign}”`;
    return `A name cannot have ${shown} in it, only ${NAME_SIGNS}.`;
  }
  if (raw.length < NAME_MIN) return `A name has at least ${NAME_MIN} characters.`;
  if (raw.length > NAME_MAX)
    return `A name has at most ${NAME_MAX} characters; this one has ${raw.length}.`;
  return 'A name begins and ends with a letter or a digit.';
}

/**
 * Names near `raw` that start would accept at this moment, the nearest first; of the same state of the
 * registry always the same. At most four, none where nothing of `raw` can be part of a name.
 * @throws AppError `unavailable`
 */
export async function alternatives(
  s: ServiceContext,
  raw: string,
  now = s.clock(),
): Promise<string[]> {
  const near = nearNames(raw);
  if (near.length === 0) return [];
  const why = await withRetry(() => whyUnavailable(s.db, near, now));
  return near.filter((name) => !why.has(name)).slice(0, OFFERED);
}

/** Names like `raw`, all valid, the nearest first; not `raw` itself. */
export function nearNames(raw: string): string[] {
  const base = nearestName(raw);
  if (base === null) return [];
  const stem = base.replace(/[-_]?\d+$/, '') || base;
  const near = [
    base,
    ...[2, 3].map((n) => withSuffix(stem, `-${n}`)),
    `my-${base}`.slice(0, NAME_MAX),
    ...['node', 'mesh', 'one'].map((word) => withSuffix(base, `-${word}`)),
    ...[4, 5, 6, 7, 8, 9].map((n) => withSuffix(stem, `-${n}`)),
  ];
  const asked = raw.trim().toLowerCase();
  return [...new Set(near)].filter((name) => name !== asked && Name.safeParse(name).success);
}

const withSuffix = (stem: string, suffix: string) =>
  trimmed(stem.slice(0, NAME_MAX - suffix.length)) + suffix;

const trimmed = (text: string) => text.replace(/^[-_]+|[-_]+$/g, '');

/** "Søren’s Garage!" → "s-ren-s-garage" … the valid name with the same letters; null where too few are left. */
function nearestName(raw: string): string | null {
  const plain = raw
    // Of the start only: nobody meant more than a few names' worth.
    .slice(0, 4 * NAME_MAX)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9_-]+/g, '-');
  const name = trimmed(trimmed(plain).slice(0, NAME_MAX));
  if (name.length >= NAME_MIN) return name;
  return name === '' ? null : `${name}-1`;
}
