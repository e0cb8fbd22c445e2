import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { withRetry } from '../../db/retry.ts';
import { computes } from '../../db/schema.ts';
import type { ComputeRow } from '../live/model.ts';
import type { AnnouncedCompute } from '../schemas/computes.ts';

/** One compute of an announce, ready to be stored. A null label keeps the earlier one. */
export interface ComputeWrite extends AnnouncedCompute {
  nodeId: string;
  label: string | null;
  /** When the announce arrived, ms. */
  at: number;
}

export type ComputeWritten = ComputeRow;

const idOf = (write: ComputeWrite) => `${write.nodeId}:${write.name}`;

/**
 * Commits a group of announces in one statement: each is stored whole or not at all. Two announces of
 * the same compute in a group are one write, the later one's values over the earlier one's.
 */
export async function commitAnnounces(
  db: Db,
  serverId: string,
  announces: ComputeWrite[][],
): Promise<ComputeWritten[][]> {
  const merged = new Map<string, ComputeWrite & { firstSeen: number }>();
  for (const write of announces.flat()) {
    const before = merged.get(idOf(write));
    merged.set(idOf(write), {
      ...write,
      label: write.label ?? before?.label ?? null,
      at: Math.max(write.at, before?.at ?? write.at),
      firstSeen: Math.min(write.at, before?.firstSeen ?? write.at),
    });
  }
  const writes = [...merged.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const rows = await withRetry(() => upsert(db, serverId, writes));

  const written = new Map(rows.map((row) => [row.id, row]));
  return announces.map((announce) =>
    announce.map((write) => {
      const row = written.get(idOf(write));
      if (!row) throw new Error('an upsert returned no row for one of its ids');
      return row;
    }),
  );
}

function upsert(
  db: Db,
  serverId: string,
  writes: (ComputeWrite & { firstSeen: number })[],
): Promise<ComputeRow[]> {
  const column = (of: (write: ComputeWrite & { firstSeen: number }) => unknown) =>
    sql.param(writes.map(of));
  const time = (at: number) => new Date(at).toISOString();
  return db
    .insert(computes)
    .select(
      sql`select *, 1, now(), ${serverId}::text from unnest(
        ${column(idOf)}::text[],
        ${column((w) => w.nodeId)}::text[],
        ${column((w) => w.name)}::text[],
        ${column((w) => w.label)}::text[],
        ${column((w) => w.image)}::text[],
        ${column((w) => w.visibility)}::text[],
        ${column((w) => w.class)}::text[],
        ${column((w) => w.backend)}::text[],
        ${column((w) => w.replicas)}::int4[],
        ${column((w) => w.freeSlots)}::int4[],
        ${column((w) => time(w.firstSeen))}::text[]::timestamptz[],
        ${column((w) => time(w.at))}::text[]::timestamptz[]
      )`,
    )
    .onConflictDoUpdate({
      target: computes.id,
      set: {
        label: sql`coalesce(excluded.label, ${computes.label})`,
        image: sql`excluded.image`,
        visibility: sql`excluded.visibility`,
        class: sql`excluded.class`,
        backend: sql`excluded.backend`,
        replicas: sql`excluded.replicas`,
        freeSlots: sql`excluded.free_slots`,
        lastSeen: sql`greatest(excluded.last_seen, ${computes.lastSeen})`,
        rev: sql`${computes.rev} + 1`,
        writtenAt: sql`now()`,
        writtenBy: sql`excluded.written_by`,
      },
    })
    .returning();
}
