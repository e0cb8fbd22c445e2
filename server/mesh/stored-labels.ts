import { and, inArray, sql } from 'drizzle-orm';
import { computes, peers } from '#db/schema/index.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { sanitizeLabel } from './label.ts';

/** Rows that one transaction changes. */
const TOGETHER = 1000;

/**
 * Takes away the stored labels that would be dropped if they were sent today: a node that sends no label keeps its last one,
 * which may be from before a rule was made. The id is shown instead. Servers of the release before may store one again:
 * it is taken away at the next start.
 * @returns of how many nodes and compute offers
 * @throws AppError `unavailable`
 */
export async function dropStoredLabels({ db, live, serverId }: ServiceContext): Promise<number> {
  const written = { label: null, writtenAt: sql`now()`, writtenBy: serverId };
  let dropped = 0;
  for (const { ids, labels } of droppable(live.peers.rows())) {
    const rows = await inTransaction(db, async (tx) => {
      const changed = await tx
        .update(peers)
        .set({ ...written, rev: sql`${peers.rev} + 1` })
        .where(and(inArray(peers.id, ids), inArray(peers.label, labels)))
        .returning();
      await live.record(tx, 'peers', changed);
      return changed;
    });
    live.peers.apply(rows);
    dropped += rows.length;
  }
  for (const { ids, labels } of droppable(live.computes.rows())) {
    const rows = await inTransaction(db, async (tx) => {
      const changed = await tx
        .update(computes)
        .set({ ...written, rev: sql`${computes.rev} + 1` })
        .where(and(inArray(computes.id, ids), inArray(computes.label, labels)))
        .returning();
      await live.record(tx, 'computes', changed);
      return changed;
    });
    live.computes.apply(rows);
    dropped += rows.length;
  }
  return dropped;
}

/** The rows whose label would be dropped today, in groups of {@link TOGETHER}, with these labels. */
function droppable(rows: Iterable<{ id: string; label: string | null }>) {
  const found: { ids: string[]; labels: string[] }[] = [];
  for (const { id, label } of rows) {
    if (label === null || sanitizeLabel(label).ok) continue;
    let last = found.at(-1);
    if (!last || last.ids.length === TOGETHER) found.push((last = { ids: [], labels: [] }));
    last.ids.push(id);
    last.labels.push(label);
  }
  return found;
}
