import { sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { peers, type PeerRow } from '#db/schema.ts';
import type { NodeClass, PeerStatus } from '#server/common/values.schema.ts';

/** One heartbeat, ready to be stored: coordinates quantized, label cleaned. Null: keep what is there. */
export interface PingWrite {
  id: string;
  label: string | null;
  class: NodeClass | null;
  region: string | null;
  status: PeerStatus;
  lat: number;
  lng: number;
  /** When it arrived, ms. */
  at: number;
}

export interface PingWritten {
  row: PeerRow;
  /** True for the very first ping of the node. */
  isNew: boolean;
}

type Merged = PingWrite & { joinedAt: number };

/**
 * Commits groups of heartbeats, each in one statement, sorted by id so that two servers lock rows in
 * the same order. Several pings of one node in a group are one write: the last one's values over those
 * of the ones before it.
 */
export function createPingWriter(db: Db, serverId: string) {
  const upsert = prepareUpsert(db);
  return async (pings: PingWrite[]): Promise<PingWritten[]> => {
    const merged = new Map<string, Merged>();
    for (const ping of pings) {
      const before = merged.get(ping.id);
      merged.set(
        ping.id,
        before
          ? {
              ...ping,
              label: ping.label ?? before.label,
              class: ping.class ?? before.class,
              region: ping.region ?? before.region,
              at: Math.max(ping.at, before.at),
              joinedAt: Math.min(ping.at, before.joinedAt),
            }
          : { ...ping, joinedAt: ping.at },
      );
    }
    const writes = [...merged.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const rows = await withRetry(() =>
      upsert.execute({
        serverId,
        id: writes.map((w) => w.id),
        label: writes.map((w) => w.label),
        class: writes.map((w) => w.class),
        region: writes.map((w) => w.region),
        status: writes.map((w) => w.status),
        lat: writes.map((w) => w.lat),
        lng: writes.map((w) => w.lng),
        joinedAt: writes.map((w) => new Date(w.joinedAt).toISOString()),
        lastSeen: writes.map((w) => new Date(w.at).toISOString()),
      }),
    );

    const written = new Map(rows.map((row) => [row.id, row]));
    const welcomed = new Set<string>();
    return pings.map(({ id }) => {
      const row = written.get(id);
      if (!row) throw new Error('an upsert returned no row for one of its ids');
      const isNew = row.rev === 1 && !welcomed.has(id);
      welcomed.add(id);
      return { row, isNew };
    });
  };
}

/**
 * One array per column, so that the statement is the same for every size of group: it is put together
 * once, and planned once per connection. (postgres.js has no serializer for timestamptz[]: hence text.)
 */
function prepareUpsert(db: Db) {
  const column = sql.placeholder;
  return db
    .insert(peers)
    .select(
      sql`select *, 1, now(), ${column('serverId')}::text from unnest(
        ${column('id')}::text[],
        ${column('label')}::text[],
        ${column('class')}::text[],
        ${column('region')}::text[],
        ${column('status')}::text[],
        ${column('lat')}::float8[],
        ${column('lng')}::float8[],
        ${column('joinedAt')}::text[]::timestamptz[],
        ${column('lastSeen')}::text[]::timestamptz[]
      )`,
    )
    .onConflictDoUpdate({
      target: peers.id,
      set: {
        label: sql`coalesce(excluded.label, ${peers.label})`,
        class: sql`coalesce(excluded.class, ${peers.class})`,
        region: sql`coalesce(excluded.region, ${peers.region})`,
        status: sql`excluded.status`,
        lat: sql`excluded.lat`,
        lng: sql`excluded.lng`,
        // A slower server's older ping must not set the clock back.
        lastSeen: sql`greatest(excluded.last_seen, ${peers.lastSeen})`,
        rev: sql`${peers.rev} + 1`,
        writtenAt: sql`now()`,
        writtenBy: sql`excluded.written_by`,
      },
    })
    .returning()
    .prepare('upsert_peers');
}
