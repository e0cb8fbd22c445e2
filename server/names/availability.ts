import { and, eq, gt, isNull, or } from 'drizzle-orm';
import { NAME_MAX, NAME_MIN, SentName } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { containsIpAddress } from '@mesh-registry/protocol/rest/ip-address.schema.ts';
import type { Availability } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { Db } from '#db/client.ts';
import { isExpired, nameClaims, registrations, reservedNames } from '#db/schema/index.ts';
import { unavailable } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { passesForGenesis } from './look-alikes.ts';
import type { NameIndex } from './name-index.ts';
import type { ReservedNameIndex } from './reserved-name-index.ts';

/** What decides whether a name is free. */
export interface NamesContext extends ServiceContext {
  readonly names: NameIndex;
  readonly reservedNames: ReservedNameIndex;
}

type Reason = 'reserved' | 'taken';

/**
 * Why a name cannot be registered at `now` (ms); null if it is available. From memory: what another server has just
 * changed shows a second later. The start of a registration decides by {@link whyRefused}.
 * @param name normalised
 */
export function whyUnavailable(
  { names, reservedNames }: Pick<NamesContext, 'names' | 'reservedNames'>,
  name: string,
  now: number,
): Reason | null {
  if (passesForGenesis(name) || reservedNames.isReserved(name, now)) return 'reserved';
  return names.isTaken(name, now) ? 'taken' : null;
}

/** Why the database refuses a name, in the transaction that is to register it. */
export async function whyRefused(db: Db, name: string, now: number): Promise<Reason | null> {
  if (passesForGenesis(name)) return 'reserved';
  const [reserved] = await db
    .select({ name: reservedNames.name })
    .from(reservedNames)
    .where(
      and(
        eq(reservedNames.name, name),
        or(isNull(reservedNames.expiresAt), gt(reservedNames.expiresAt, new Date(now))),
      ),
    );
  if (reserved) return 'reserved';
  const [claim] = await db
    .select({ holder: registrations })
    .from(nameClaims)
    .innerJoin(registrations, eq(registrations.id, nameClaims.registrationId))
    .where(eq(nameClaims.name, name));
  return claim && !isExpired(claim.holder, now) ? 'taken' : null;
}

/** While the database is unavailable, memory does not know what has been taken since. @throws AppError `unavailable` */
export function requireCurrent({ live }: Pick<ServiceContext, 'live'>): void {
  if (live.degraded()) throw unavailable();
}

/** Whether a registration with this name would be accepted now. @throws AppError `unavailable` */
export function availability(
  context: NamesContext,
  raw: string,
  now = context.clock(),
): Availability {
  const parsed = SentName.safeParse(raw);
  if (!parsed.success)
    return {
      ok: true,
      name: raw.toLowerCase(),
      available: false,
      reason: 'invalid',
      message: explainInvalid(raw),
    };
  const name = parsed.data;
  requireCurrent(context);
  const reason = whyUnavailable(context, name, now);
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
  if (containsIpAddress(raw)) return 'Names cannot look like an IP address.';
  return 'Names must start and end with a letter or number.';
}
