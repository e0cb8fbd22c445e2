import type { RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { RunningTally } from '#server/live/index.ts';
import { entryUntil, presentEntry } from './entry.ts';
import type { RegistryStats } from '@mesh-registry/protocol/rest/registry.schema.ts';

/** Totals of the active names and of what is behind them. */
export class RegistryTally {
  readonly #stats: RegistryStats = {
    active: 0,
    nodes: 0,
    computes: 0,
    nodesOnline: 0,
    computesAvailable: 0,
  };
  readonly #tally: RunningTally<RegistrationRow, RegistryStats>;

  constructor(context: ServiceContext) {
    this.#tally = new RunningTally<RegistrationRow, RegistryStats>({
      part(row, now, until) {
        until(entryUntil(context, row, now));
        const { node, compute } = presentEntry(context, row, now);
        return {
          active: 1,
          nodes: Number(row.kinds.includes('node')),
          computes: Number(row.kinds.includes('compute')),
          nodesOnline: Number(node?.status === 'online'),
          computesAvailable: Number(compute?.status === 'available'),
        };
      },
      add: (part, sign) => {
        for (const key of Object.keys(part) as (keyof RegistryStats)[])
          this.#stats[key] += sign * part[key];
      },
    });
  }

  /** Adds an active name, or counts it again after its node or compute offer has changed. */
  set(row: RegistrationRow, now: number): void {
    this.#tally.set(row, now);
  }

  delete(id: string): void {
    this.#tally.delete(id);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): RegistryStats {
    this.#tally.advance(now);
    return { ...this.#stats };
  }
}
