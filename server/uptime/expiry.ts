import { and, asc, eq, gt, lt, lte, or, type SQL } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import {
  historyDayCounts,
  historyDays,
  historyPlaces,
  historyQuarters,
  nodeDays,
} from '#db/schema/index.ts';
import { ROWS_PER_DELETE, type Expired } from '#server/common/rooms.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { PLACES_KEPT_MS } from './place-history.ts';
import { DAY_MS, daysBetween, dayText, QUARTER_MS } from './quarters.ts';
import { DAYS_KEPT_MS, SHOWN_MS } from './totals.ts';

/** The days, as the database stores them, of which there may be a history at `now` (ms). */
export const keptDays = (now: number): string[] => daysBetween(now - SHOWN_MS, now);

/** What is older than 90 days, the numbers of days after a year, and places by quarter after a day. */
export const expiredHistory: Expired[] = [
  [historyQuarters, (now) => lt(historyQuarters.quarter, new Date(now - SHOWN_MS))],
  [historyPlaces, (now) => or(placesBefore(QUARTER_MS, now), placesBefore(DAY_MS, now)) as SQL],
  [historyDays, (now) => lt(historyDays.day, dayText(now - DAYS_KEPT_MS))],
  [historyDayCounts, (now) => lt(historyDayCounts.day, dayText(now - DAYS_KEPT_MS))],
  deleteOldDays,
];

/** Places of steps of this length (ms) that are no longer kept at `now` (ms). */
const placesBefore = (stepMs: number, now: number) =>
  and(
    eq(historyPlaces.stepSeconds, stepMs / 1000),
    lt(historyPlaces.at, new Date(now - PLACES_KEPT_MS[stepMs === DAY_MS ? 'day' : 'quarter'])),
  );

/** Deletes the quarters of nodes of more than 90 days ago, a few thousand rows at a time. @throws AppError `unavailable` */
async function deleteOldDays(db: Db, now: number): Promise<void> {
  for (;;) {
    const [old] = await withRetry(() =>
      db
        .select({ day: nodeDays.day })
        .from(nodeDays)
        .where(lt(nodeDays.day, dayText(now - SHOWN_MS)))
        .orderBy(asc(nodeDays.day))
        .limit(1),
    );
    if (!old) return;
    await deleteDay(db, old.day);
  }
}

/** Deletes by ranges of the key: Citus deletes no limited number of rows. */
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
