import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { withRetry } from '../../db/retry.ts';
import { peers } from '../../db/schema.ts';
import type { PeerRow } from '../live/model.ts';
import type { NodeClass, PeerStatus } from '../schemas/values.ts';

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

/**
 * Commits a group of heartbeats in one statement, sorted by id so that two servers lock rows in the
 * same order. Several pings of one node in a group are one write: the last one's values over those
 * of the ones before it.
 */
export async function commitPings(
  db: Db,
  serverId: string,
  pings: PingWrite[],
): Promise<PingWritten[]> {
  const merged = new Map<string, PingWrite & { joinedAt: number }>();
  for (const ping of pings) {
    const before = merged.get(ping.id);
    merged.set(ping.id, {
      ...ping,
      label: ping.label ?? before?.label ?? null,
      class: ping.class ?? before?.class ?? null,
      region: ping.region ?? before?.region ?? null,
      at: Math.max(ping.at, before?.at ?? ping.at),
      joinedAt: Math.min(ping.at, before?.joinedAt ?? ping.at),
    });
  }
  const writes = [...merged.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await withRetry(() => upsert(db, serverId, writes));

  const written = new Map(rows.map((row) => [row.id, row]));
  const welcomed = new Set<string>();
  return pings.map(({ id }) => {
    const row = written.get(id);
    if (!row) throw new Error('an upsert returned no row for one of its ids');
    const isNew = row.rev === 1 && !welcomed.has(id);
    welcomed.add(id);
    return { row, isNew };
  });
}

function upsert(
  db: Db,
  serverId: string,
  writes: (PingWrite & { joinedAt: number })[],
): Promise<PeerRow[]> {
  // One parameter per column whatever the size of the group: the statement's text never changes.
  const column = (of: (write: PingWrite & { joinedAt: number }) => unknown) =>
    sql.param(writes.map(of));
  const time = (at: number) => new Date(at).toISOString();
  return db
    .insert(peers)
    .select(
      sql`select *, 1, now(), ${serverId}::text from unnest(
        ${column((w) => w.id)}::text[],
        ${column((w) => w.label)}::text[],
        ${column((w) => w.class)}::text[],
        ${column((w) => w.region)}::text[],
        ${column((w) => w.status)}::text[],
        ${column((w) => w.lat)}::float8[],
        ${column((w) => w.lng)}::float8[],
        ${column((w) => time(w.joinedAt))}::text[]::timestamptz[],
        ${column((w) => time(w.at))}::text[]::timestamptz[]
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
    .returning();
}
