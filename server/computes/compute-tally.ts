import type { ComputeRow } from '#db/schema/index.ts';
import { RunningTally } from '#server/live/index.ts';
import { computeStatus, computeStatusUntil } from './compute.ts';
import type { ComputesQuery, ComputeStats } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { isListed, type ComputesContext } from './listing.ts';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  type ComputeStatus,
  type Visibility,
} from '@mesh-registry/protocol/values.schema.ts';

interface Part {
  visibility: Visibility;
  status: ComputeStatus;
  replicas: number;
  freeSlots: number;
}

const cellOf = (visibility: Visibility, status: ComputeStatus) => `${visibility} ${status}`;

/** Totals of the listed compute offers, for each filter of the directory. */
export class ComputeTally {
  readonly #cells = new Map(
    VISIBILITIES.flatMap((visibility) =>
      COMPUTE_STATUSES.map((status) => [
        cellOf(visibility, status),
        { count: 0, replicas: 0, freeSlots: 0 },
      ]),
    ),
  );
  readonly #tally: RunningTally<ComputeRow, Part>;

  constructor(context: ComputesContext) {
    const freshMs = context.config.computeFreshMs;
    this.#tally = new RunningTally<ComputeRow, Part>({
      part(row, now, until) {
        if (!isListed(context, row)) return null;
        until(computeStatusUntil(row, now, freshMs));
        const { visibility, replicas, freeSlots } = row;
        return { visibility, replicas, freeSlots, status: computeStatus(row, now, freshMs) };
      },
      add: ({ visibility, status, replicas, freeSlots }, sign) => {
        const cell = this.#cells.get(cellOf(visibility, status));
        if (!cell) return;
        cell.count += sign;
        cell.replicas += sign * replicas;
        cell.freeSlots += sign * freeSlots;
      },
    });
  }

  /** Adds a compute offer, or replaces the one with its id. Also when something decides anew whether it is listed. */
  set(row: ComputeRow, now: number): void {
    this.#tally.set(row, now);
  }

  delete(id: string): void {
    this.#tally.delete(id);
  }

  /** The totals of the answer to `query` at `now` (ms), which must not go back. */
  at(query: ComputesQuery, now: number): ComputeStats {
    this.#tally.advance(now);
    const stats = { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 };
    for (const visibility of VISIBILITIES)
      for (const status of COMPUTE_STATUSES) {
        if (query.visibility !== 'all' && visibility !== query.visibility) continue;
        if (query.available && status !== 'available') continue;
        const cell = this.#cells.get(cellOf(visibility, status));
        if (!cell) continue;
        stats.total += cell.count;
        stats[status] += cell.count;
        stats.replicas += cell.replicas;
        if (status === 'available') stats.freeSlots += cell.freeSlots;
      }
    return stats;
  }
}
