import { desc, eq, lt } from 'drizzle-orm';
import { outages, type OutageRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Expired } from '#server/common/rooms.ts';
import { OUTAGE_KEPT_MS } from '@mesh-registry/protocol/values.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { OutageWatch, type OutageObserver } from './outage-watch.ts';

/** Outages that are read at once. */
const READ_MAX = 50;

/** When nodes fell silent and were heard again. */
export function createOutages(context: ServiceContext, observer: OutageObserver) {
  const watch = new OutageWatch(context, observer);
  // Those that last have no end yet.
  const expired: Expired[] = [
    [outages, (now) => lt(outages.backAt, new Date(now - OUTAGE_KEPT_MS))],
  ];
  return {
    expired,
    /** The latest outages of a node, at most 50, the newest first. Asks the database. @throws AppError `unavailable` */
    ofNode: (nodeId: string): Promise<OutageRow[]> =>
      withRetry(() =>
        context.db
          .select()
          .from(outages)
          .where(eq(outages.nodeId, nodeId))
          .orderBy(desc(outages.offlineSince))
          .limit(READ_MAX),
      ),
    /** Looks for outages now. Also runs by itself. */
    round: () => watch.round(),
    start: () => watch.start(),
    stop: () => watch.stop(),
  };
}
