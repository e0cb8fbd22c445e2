import type { ComputesQuery, ComputeStats } from '@mesh-registry/protocol/rest/computes.schema.ts';
import {
  COMPUTE_STATUSES,
  recordFrom,
  VISIBILITIES,
  type ComputeStatus,
  type Visibility,
} from '@mesh-registry/protocol/values.schema.ts';
import type { ComputeRow } from '#db/schema/index.ts';
import { Totals } from '#server/live/index.ts';
import { computeStatus, computeStatusUntil, isListed, type ComputesContext } from './offer.ts';

interface Part {
  visibility: Visibility;
  status: ComputeStatus;
  replicas: number;
  freeSlots: number;
}

/** Totals of the listed compute offers, for each filter of the directory. */
export class OfferTotals extends Totals<ComputeRow, Part> {
  readonly #cells = recordFrom(VISIBILITIES, () =>
    recordFrom(COMPUTE_STATUSES, () => ({ count: 0, replicas: 0, freeSlots: 0 })),
  );

  constructor(private readonly context: ComputesContext) {
    super();
  }

  protected part(row: ComputeRow, now: number, until: (moment: number) => void): Part | null {
    if (!isListed(this.context, row)) return null;
    const freshMs = this.context.config.computeFreshMs;
    until(computeStatusUntil(row, now, freshMs));
    const { visibility, replicas, freeSlots } = row;
    return { visibility, replicas, freeSlots, status: computeStatus(row, now, freshMs) };
  }

  protected add({ visibility, status, replicas, freeSlots }: Part, sign: 1 | -1): void {
    const cell = this.#cells[visibility][status];
    cell.count += sign;
    cell.replicas += sign * replicas;
    cell.freeSlots += sign * freeSlots;
  }

  /** The totals of the answer to `query` at `now` (ms), which must not go back. */
  at(query: ComputesQuery, now: number): ComputeStats {
    this.advance(now);
    const stats = { total: 0, available: 0, busy: 0, offline: 0, replicas: 0, freeSlots: 0 };
    for (const visibility of VISIBILITIES)
      for (const status of COMPUTE_STATUSES) {
        if (query.visibility !== 'all' && visibility !== query.visibility) continue;
        if (query.available && status !== 'available') continue;
        const cell = this.#cells[visibility][status];
        stats.total += cell.count;
        stats[status] += cell.count;
        stats.replicas += cell.replicas;
        if (status === 'available') stats.freeSlots += cell.freeSlots;
      }
    return stats;
  }
}
