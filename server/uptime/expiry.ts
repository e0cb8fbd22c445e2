import { and, asc, eq, gt, lt, lte } from 'drizzle-orm';
import { historyPlaces, historyQuarters, nodeDays } from '#db/schema/index.ts';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { SHOWN_MS } from './totals.ts';
import { PLACES_KEPT_MS } from './place-history.ts';
import { daysBetween, dayText } from './quarters.ts';

/** Rows per statement: each stays well below the time-out of a statement. */
const ROWS_PER_DELETE = 5000;

/** The days, as the database stores them, of which there may be a history at `now` (ms). */
export const keptDays = (now: number): string[] => daysBetween(now - SHOWN_MS, now);

/** Deletes what at `now` (ms) is older than 90 days, and places by quarter after a day; a few thousand rows at a time. @throws AppError `unavailable` */
export async function deleteOldHistory(db: Db, now: number): Promise<void> {
  const oldest = now - SHOWN_MS;
  await withRetry(() =>
    db.delete(historyQuarters).where(lt(historyQuarters.quarter, new Date(oldest))),
  );
  for (const [stepSeconds, keptMs] of [
    [900, PLACES_KEPT_MS.quarter],
    [86_400, PLACES_KEPT_MS.day],
  ] as const)
    await withRetry(() =>
      db
        .delete(historyPlaces)
        .where(
          and(
            eq(historyPlaces.stepSeconds, stepSeconds),
            lt(historyPlaces.at, new Date(now - keptMs)),
          ),
        ),
    );
  for (;;) {
    const [old] = await withRetry(() =>
      db
        .select({ day: nodeDays.day })
        .from(nodeDays)
        .where(lt(nodeDays.day, dayText(oldest)))
        .orderBy(asc(nodeDays.day))
        .limit(1),
    );
    if (!old) return;
    await deleteDay(db, old.day);
  }
}

/** By ranges of the key: Citus deletes no limited number of rows. */
async function deleteDay(db: Db, day: string): Promise<void> {
  let after = '';
  for (;;) {
    const ofDay = and(eq(nodeDays.day, day), gt(nodeDays.node, after));
    const [last] = await withRetry(() =>
      db
        .select({ node: nodeDays.node })
        .from(nodeDays)
        .where(ofDay)
        .orderBy(asc(nodeDays.node))
        .offset(ROWS_PER_DELETE)
        .limit(1),
    );
    await withRetry(() =>
      db.delete(nodeDays).where(and(ofDay, last && lte(nodeDays.node, last.node))),
    );
    if (!last) return;
    after = last.node;
  }
}
