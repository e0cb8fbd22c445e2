import { sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { computes, type ComputeRow } from '#db/schema.ts';
import type { AnnouncedCompute } from './computes.schema.ts';

/** One compute of an announce, ready to be stored. A null label keeps the earlier one. */
export interface ComputeWrite extends AnnouncedCompute {
  nodeId: string;
  label: string | null;
  /** When the announce arrived, ms. */
  at: number;
}

const idOf = (write: ComputeWrite) => `${write.nodeId}:${write.name}`;

type Merged = ComputeWrite & { firstSeen: number };

/**
 * Commits groups of announces, each group in one statement: an announce is stored whole or not at all.
 * Two announces of the same compute in a group are one write, the later one's values over the earlier
 * one's. Sorted by id, so that two servers lock rows in the same order.
 */
export function createAnnounceWriter(db: Db, serverId: string) {
  const upsert = prepareUpsert(db);
  return async (announces: ComputeWrite[][]): Promise<ComputeRow[][]> => {
    const merged = new Map<string, Merged>();
    for (const write of announces.flat()) {
      const before = merged.get(idOf(write));
      merged.set(
        idOf(write),
        before
          ? {
              ...write,
              label: write.label ?? before.label,
              at: Math.max(write.at, before.at),
              firstSeen: Math.min(write.at, before.firstSeen),
            }
          : { ...write, firstSeen: write.at },
      );
    }
    const writes = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
    const rows = await withRetry(() =>
      upsert.execute({
        serverId,
        id: writes.map(idOf),
        nodeId: writes.map((w) => w.nodeId),
        name: writes.map((w) => w.name),
        label: writes.map((w) => w.label),
        image: writes.map((w) => w.image),
        visibility: writes.map((w) => w.visibility),
        class: writes.map((w) => w.class),
        backend: writes.map((w) => w.backend),
        replicas: writes.map((w) => w.replicas),
        freeSlots: writes.map((w) => w.freeSlots),
        firstSeen: writes.map((w) => new Date(w.firstSeen).toISOString()),
        lastSeen: writes.map((w) => new Date(w.at).toISOString()),
      }),
    );

    const written = new Map(rows.map((row) => [row.id, row]));
    return announces.map((announce) =>
      announce.map((write) => {
        const row = written.get(idOf(write));
        if (!row) throw new Error('an upsert returned no row for one of its ids');
        return row;
      }),
    );
  };
}

/** As the statement of the pings: one array per column, put together once. */
function prepareUpsert(db: Db) {
  const column = sql.placeholder;
  return db
    .insert(computes)
    .select(
      sql`select *, 1, now(), ${column('serverId')}::text from unnest(
        ${column('id')}::text[],
        ${column('nodeId')}::text[],
        ${column('name')}::text[],
        ${column('label')}::text[],
        ${column('image')}::text[],
        ${column('visibility')}::text[],
        ${column('class')}::text[],
        ${column('backend')}::text[],
        ${column('replicas')}::int4[],
        ${column('freeSlots')}::int4[],
        ${column('firstSeen')}::text[]::timestamptz[],
        ${column('lastSeen')}::text[]::timestamptz[]
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
    .returning()
    .prepare('upsert_computes');
}
