import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { outageWatch } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';

/** Longest pause between two rounds that still counts as watching, milliseconds. A longer one ends the lease. */
const LEASE_MS = 45_000;

const ID = 'outages';
const NOBODY = '';

/**
 * Takes or renews the lease, so that one of all servers watches. In one statement, without a lock that a pooler could
 * lose. After a pause in which nobody watched, what can be measured begins anew.
 * @returns since when heartbeats have been watched without a break (ms); null if another server has the lease
 * @throws if the database is unavailable
 */
export async function takeLease(
  { db, serverId }: Pick<ServiceContext, 'db' | 'serverId'>,
  now: number,
): Promise<number | null> {
  const at = new Date(now);
  const expired = new Date(now - LEASE_MS);
  const [mine] = await db
    .insert(outageWatch)
    .values({ id: ID, server: serverId, renewedAt: at, measuringSince: at })
    .onConflictDoUpdate({
      target: outageWatch.id,
      set: {
        server: serverId,
        renewedAt: at,
        measuringSince: sql`case when ${lt(outageWatch.renewedAt, expired)} then excluded.measuring_since else ${outageWatch.measuringSince} end`,
      },
      setWhere: sql`${inArray(outageWatch.server, [serverId, NOBODY])} or ${lt(outageWatch.renewedAt, expired)}`,
    })
    .returning({ measuringSince: outageWatch.measuringSince });
  return mine ? mine.measuringSince.getTime() : null;
}

/** Heartbeats until `now` (ms) cannot be judged, because none arrived from anybody. */
export async function restartMeasuring(
  { db, serverId }: Pick<ServiceContext, 'db' | 'serverId'>,
  now: number,
): Promise<void> {
  await db
    .update(outageWatch)
    .set({ measuringSince: new Date(now) })
    .where(and(eq(outageWatch.id, ID), eq(outageWatch.server, serverId)));
}

/** Lets another server go on without a pause. */
export async function releaseLease({
  db,
  serverId,
}: Pick<ServiceContext, 'db' | 'serverId'>): Promise<void> {
  await db
    .update(outageWatch)
    .set({ server: NOBODY })
    .where(and(eq(outageWatch.id, ID), eq(outageWatch.server, serverId)));
}
