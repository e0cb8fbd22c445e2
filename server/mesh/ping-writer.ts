import { peers, type PeerRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Signal } from '#server/common/signal.ts';
import { unavailable } from '#server/common/with-retry.ts';
import {
  first,
  groupedUpsert,
  GroupWriter,
  isFirstVersion,
  latest,
  replace,
  replaceUnlessNull,
  type Committed,
  type RowWrite,
} from '#server/live/index.ts';

/** A heartbeat to be stored: coordinates quantized, label cleaned. Null keeps the stored value. */
export type PingWrite = RowWrite<typeof peers>;

export interface PingWritten {
  row: PeerRow;
  /** True for a node's very first ping. */
  isNew: boolean;
}

export type PingWriter = GroupWriter<PingWrite, PingWritten>;

/** Commits heartbeats in groups, and applies them to the read model. */
export function createPingWriter(
  { db, live, feed }: Pick<ServiceContext, 'db' | 'live' | 'feed'>,
  committed: Signal<Committed>,
): PingWriter {
  const upsert = groupedUpsert(db, feed, peers, {
    label: replaceUnlessNull,
    class: replaceUnlessNull,
    region: replaceUnlessNull,
    status: replace,
    lat: replace,
    lng: replace,
    joinedAt: first,
    lastSeen: latest,
  });
  return new GroupWriter({
    maxGroup: 1000,
    maxWaiting: 50_000,
    overflow: unavailable,
    async commit(pings) {
      const rows = await upsert(pings);
      live.peers.apply(rows);
      committed.emit({ kind: 'pings', size: pings.length });
      const welcomed = new Set<string>();
      return rows.map((row) => {
        const isNew = isFirstVersion(row.rev, row.joinedAt) && !welcomed.has(row.id);
        welcomed.add(row.id);
        return { row, isNew };
      });
    },
  });
}
