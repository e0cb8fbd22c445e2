import type { ComputeRow } from '#db/schema/index.ts';
import type { ComputeStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';

/** Offline once the last announcement is older than `freshMs`; else busy without free slots; else available. */
export function computeStatus(
  row: Pick<ComputeRow, 'lastSeen' | 'freeSlots'>,
  now: number,
  freshMs: number,
): ComputeStatus {
  if (now - row.lastSeen.getTime() > freshMs) return 'offline';
  return row.freeSlots === 0 ? 'busy' : 'available';
}

/** The last moment (ms) at which the row still has the status that it has at `now`. */
export function computeStatusUntil(
  row: Pick<ComputeRow, 'lastSeen'>,
  now: number,
  freshMs: number,
): number {
  const lastMoment = row.lastSeen.getTime() + freshMs;
  return now > lastMoment ? Infinity : lastMoment;
}

/** A compute offer as answers show it at `now` (ms). */
export function presentCompute(row: ComputeRow, now: number, freshMs: number): Compute {
  return {
    id: row.id,
    name: row.name,
    nodeId: row.nodeId,
    label: row.label ?? row.nodeId,
    image: row.image,
    visibility: row.visibility,
    class: row.class,
    backend: row.backend,
    replicas: row.replicas,
    freeSlots: row.freeSlots,
    status: computeStatus(row, now, freshMs),
    lastSeen: row.lastSeen.toISOString(),
    firstSeen: row.firstSeen.toISOString(),
  };
}
