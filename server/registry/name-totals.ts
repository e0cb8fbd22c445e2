import type { RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { Totals } from '#server/live/index.ts';
import { entryUntil, presentEntry } from './entry.ts';
import type { RegistryStats } from '@mesh-registry/protocol/rest/registry.schema.ts';

/** Totals of the active names and of what is behind them. Counts a name again when its node or offer has changed. */
export class NameTotals extends Totals<RegistrationRow, RegistryStats> {
  readonly #stats: RegistryStats = {
    active: 0,
    nodes: 0,
    computes: 0,
    nodesOnline: 0,
    computesAvailable: 0,
  };

  constructor(private readonly context: ServiceContext) {
    super();
  }

  protected part(
    row: RegistrationRow,
    now: number,
    until: (moment: number) => void,
  ): RegistryStats {
    until(entryUntil(this.context, row, now));
    const { node, compute } = presentEntry(this.context, row, now);
    return {
      active: 1,
      nodes: Number(row.kinds.includes('node')),
      computes: Number(row.kinds.includes('compute')),
      nodesOnline: Number(node?.status === 'online'),
      computesAvailable: Number(compute?.status === 'available'),
    };
  }

  protected add(part: RegistryStats, sign: 1 | -1): void {
    for (const key of Object.keys(part) as (keyof RegistryStats)[])
      this.#stats[key] += sign * part[key];
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): RegistryStats {
    this.advance(now);
    return { ...this.#stats };
  }
}
