import { computes, type ComputeRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Signal } from '#server/common/signal.ts';
import { unavailable } from '#server/common/with-retry.ts';
import {
  first,
  fixed,
  groupedUpsert,
  GroupWriter,
  latest,
  replace,
  replaceUnlessNull,
  type Committed,
  type RowWrite,
} from '#server/live/index.ts';

/** A compute offer to be stored. A null label keeps the stored one. */
export type ComputeWrite = RowWrite<typeof computes>;

export type AnnounceWriter = GroupWriter<ComputeWrite[], ComputeRow[]>;

/**
 * Commits announcements in groups, and applies them to the read model. A group is one statement: an announcement
 * is stored whole or not at all.
 */
export function createAnnounceWriter(
  { db, live, feed }: Pick<ServiceContext, 'db' | 'live' | 'feed'>,
  committed: Signal<Committed>,
): AnnounceWriter {
  const upsert = groupedUpsert(db, feed, computes, {
    nodeId: fixed,
    name: fixed,
    label: replaceUnlessNull,
    image: replace,
    visibility: replace,
    class: replace,
    backend: replace,
    replicas: replace,
    freeSlots: replace,
    firstSeen: first,
    lastSeen: latest,
  });
  return new GroupWriter({
    // An announcement has up to 256 compute offers: this bounds announcements, and body sizes bound the rest.
    maxGroup: 100,
    maxWaiting: 10_000,
    overflow: unavailable,
    async commit(announces) {
      const rows = await upsert(announces.flat());
      live.computes.apply(rows);
      committed.emit({ kind: 'announces', size: announces.length });
      let end = 0;
      return announces.map(({ length }) => rows.slice(end, (end += length)));
    },
  });
}
