import { asc, inArray } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations, type RegistrationRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';

/**
 * Whoever has paid for a registration that ended may start another one and name the earlier: its payment then counts for
 * the later one, and only for that. Of several that name the same one, it is the first that is open or was ever active.
 * What was active has used its payment, and leaves none.
 */

/** How many registrations one after the other leave their payment to the next. */
const CHAIN_MAX = 5;

type Link = Pick<RegistrationRow, 'id' | 'earlierId' | 'activatedAt'>;

export interface Inheritance {
  /** The notes whose payments count for the registration, besides its own: the latest first. */
  notes: string[];
  /** Its own payments count for a later registration, with those that it was left. */
  passedOn: boolean;
}

/** By the registration's id. */
export async function readInheritance(db: Db, rows: Link[]): Promise<Map<string, Inheritance>> {
  const known = new Map<string, RegistrationRow>();
  let wanted = rows.flatMap(({ earlierId }) => earlierId ?? []);
  for (let depth = 0; depth < CHAIN_MAX && wanted.length > 0; depth++) {
    const found = await db.select().from(registrations).where(inArray(registrations.id, wanted));
    for (const row of found) known.set(row.id, row);
    wanted = found.flatMap(({ earlierId }) =>
      earlierId === null || known.has(earlierId) ? [] : earlierId,
    );
  }
  const heirs = await readHeirs(db, [...new Set([...known.keys(), ...rows.map(({ id }) => id)])]);
  return new Map(
    rows.map((row) => {
      const notes: string[] = [];
      for (let link: Link = row; link.earlierId !== null && notes.length < CHAIN_MAX;) {
        const earlier = known.get(link.earlierId);
        if (!earlier || earlier.activatedAt !== null || heirs.get(earlier.id) !== link.id) break;
        notes.push(earlier.paymentNote);
        link = earlier;
      }
      const passedOn = row.activatedAt === null && heirs.has(row.id);
      return [row.id, { notes: passedOn ? [] : notes, passedOn }];
    }),
  );
}

/**
 * Which later registration gets the payment of each. One that ended without ever being active gets it only to pass it
 * on.
 */
async function readHeirs(db: Db, ids: string[]): Promise<Map<string, string>> {
  const { id, earlierId, status, activatedAt, createdAt } = registrations;
  const later = new SetMap<Later>();
  let wanted = ids;
  for (let depth = 0; depth < CHAIN_MAX && wanted.length > 0; depth++) {
    const found = await db
      .select({ id, earlierId, status, activatedAt })
      .from(registrations)
      .where(inArray(earlierId, wanted))
      .orderBy(asc(createdAt), asc(id));
    for (const row of found) later.add(row.earlierId ?? '', row);
    wanted = found.filter((row) => !counts(row)).map((row) => row.id);
  }
  const heirs = new Map<string, string>();
  const heirOf = (id: string): string | undefined => {
    const heir = [...later.get(id)].find((row) => counts(row) || heirOf(row.id) !== undefined);
    if (heir) heirs.set(id, heir.id);
    return heir?.id;
  };
  for (const id of ids) heirOf(id);
  return heirs;
}

type Later = Pick<RegistrationRow, 'id' | 'earlierId' | 'status' | 'activatedAt'>;

const counts = ({ status, activatedAt }: Pick<Later, 'status' | 'activatedAt'>): boolean =>
  status !== 'rejected' || activatedAt !== null;
