import { and, asc, eq, gt, gte, inArray, lte, notExists, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { hash } from 'node:crypto';
import type { RegistryEvent } from '@mesh-registry/protocol/log/registry-event.schema.ts';
import { OPERATOR, UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { registrationHistory, registrations, reviewActions } from '#db/schema/index.ts';

/** A later change of the same registration, which leads back. */
const undoing = alias(registrationHistory, 'undoing');

/** Rows of a statement: each stays well below the time-out of a statement. */
const PAGE_ROWS = 1000;
/** Statements of a table that are read in one transaction: it stays well below its time-out, too. */
const PAGES_MAX = 8;

interface Wanted {
  /** Null: from the beginning. */
  since: Date | null;
  /** Inclusive: late enough that no decision before it can still be undone. */
  until: Date;
  /** Whether the log has an event already. */
  isKnown: (id: string) => boolean;
  /** How many events to look for; there may be some more. */
  max: number;
}

/**
 * What happened publicly since a moment and is not in the log yet, the oldest first: names that became active or ceased to
 * be, and nodes that were blocked and unblocked. Not who did it, nor why, and no link of a registration. What was undone
 * did not happen.
 * @returns `until`: there are none before that moment any more; what is wanted, or earlier if there is more to read
 */
export async function readEvents(
  db: Db,
  wanted: Wanted,
): Promise<{ events: RegistryEvent[]; until: Date }> {
  const parts = [
    await readPart(wanted, (after) => namePage(db, after, wanted.until)),
    await readPart(wanted, (after) => nodePage(db, after, wanted.until)),
  ];
  const until = new Date(Math.min(...parts.map((part) => part.until.getTime())));
  const events = parts
    .flatMap(({ rows }) => rows)
    .filter(({ at }) => at <= until)
    .map(({ event }) => event)
    .sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
  return { events, until };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Where in its table an event is. */
interface Position {
  at: Date;
  id: string;
  rev: number;
}
interface Row extends Position {
  event: RegistryEvent;
}

/**
 * Reads pages until one is not full, or enough is found or read.
 * @param page the rows after a position, in their order
 */
async function readPart(
  { since, until, isKnown, max }: Wanted,
  page: (after: Position | null) => Promise<Row[]>,
): Promise<{ rows: Row[]; until: Date }> {
  const rows: Row[] = [];
  // Every row of that moment comes after this.
  let last: Position | null = since && { at: since, id: '', rev: 0 };
  for (let pages = 1; ; pages++) {
    const found = await page(last);
    rows.push(...found.filter(({ event }) => !isKnown(event.id)));
    last = found.at(-1) ?? last;
    if (found.length < PAGE_ROWS || !last) return { rows, until };
    // The next time begins a millisecond earlier: it must not end up here again.
    const isFurther = since === null || last.at.getTime() > since.getTime() + 1;
    if (rows.length >= max || (pages >= PAGES_MAX && isFurther)) return { rows, until: last.at };
  }
}

async function namePage(db: Db, after: Position | null, until: Date): Promise<Row[]> {
  const { at, registrationId, rev, actor, fromStatus, toStatus } = registrationHistory;
  const { name, nodeId, kinds } = registrations;
  const rows = await db
    .select({ at, id: registrationId, rev, actor, toStatus, name, nodeId, kinds })
    .from(registrationHistory)
    .innerJoin(registrations, eq(registrations.id, registrationId))
    .where(
      and(
        lte(at, until),
        after
          ? sql`(${at}, ${registrationId}, ${rev}) > (${sql.param(after.at, at)}, ${after.id}, ${after.rev})`
          : undefined,
        or(
          and(eq(toStatus, 'active'), eq(fromStatus, 'pending_review')),
          and(eq(toStatus, 'rejected'), eq(fromStatus, 'active')),
        ),
        notExists(
          db
            .select({ one: sql`1` })
            .from(undoing)
            .where(
              and(
                eq(undoing.registrationId, registrationId),
                gt(undoing.rev, rev),
                gte(undoing.at, at),
                lte(undoing.at, sql`${at} + ${UNDO_MS} * interval '1 millisecond'`),
                eq(undoing.fromStatus, toStatus),
                eq(undoing.toStatus, fromStatus),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(at), asc(registrationId), asc(rev))
    .limit(PAGE_ROWS);
  return rows.map(({ at, id, rev, actor, toStatus, name, nodeId, kinds }) => ({
    at,
    id,
    rev,
    event: {
      id: eventId('registration', id, rev, at),
      at: at.toISOString(),
      event: toStatus === 'active' ? 'activated' : actor === OPERATOR ? 'released' : 'revoked',
      name,
      nodeId,
      kinds,
    },
  }));
}

async function nodePage(db: Db, after: Position | null, until: Date): Promise<Row[]> {
  const { at, id, action, subject } = reviewActions;
  const rows = await db
    .select({ at, id, action, subject })
    .from(reviewActions)
    .where(
      and(
        lte(at, until),
        after ? sql`(${at}, ${id}) > (${sql.param(after.at, at)}, ${after.id})` : undefined,
        inArray(action, ['node_blocked', 'node_unblocked']),
      ),
    )
    .orderBy(asc(at), asc(id))
    .limit(PAGE_ROWS);
  return rows.map(({ at, id, action, subject }) => ({
    at,
    id,
    rev: 0,
    event: {
      id: eventId('action', id, 0, at),
      at: at.toISOString(),
      event: action === 'node_blocked' ? 'blocked' : 'unblocked',
      nodeId: subject,
    },
  }));
}

/**
 * The same for the same row, and for no other. A digest, because a registration's id is the key to it; that is random
 * and long enough not to be found by trying. With the moment, because after a restore another change may get the same
 * number.
 */
const eventId = (kind: string, id: string, rev: number, at: Date): string =>
  hash('sha256', JSON.stringify([kind, id, rev, at.getTime()]), 'buffer')
    .subarray(0, 16)
    .toString('base64url');
