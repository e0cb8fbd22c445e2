import type { RegistryStats } from '@mesh-registry/protocol/rest/registry.schema.ts';
import {
  PEER_STATUSES,
  recordFrom,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { Totals } from '#server/live/index.ts';
import { entryUntil, presentEntry } from './entry.ts';
import { facetsOf } from './facets.ts';

interface Part {
  stats: RegistryStats;
  status: PeerStatus | null;
  isFree: boolean;
  region: string;
}

/** Totals of the active names and of what is behind them. Counts a name again when its node or offer has changed. */
export class NameTotals extends Totals<RegistrationRow, Part> {
  readonly #stats: RegistryStats = {
    active: 0,
    nodes: 0,
    computes: 0,
    nodesOnline: 0,
    computesAvailable: 0,
  };
  readonly #status = recordFrom(PEER_STATUSES, () => 0);
  readonly #regions = new Map<string, number>();
  #free = 0;

  constructor(private readonly context: ServiceContext) {
    super();
  }

  protected part(row: RegistrationRow, now: number, until: (moment: number) => void): Part {
    until(entryUntil(this.context, row, now));
    const { node, compute } = presentEntry(this.context, row, now);
    const { status, isFree, region } = facetsOf(this.context, row, now);
    return {
      stats: {
        active: 1,
        nodes: Number(row.kinds.includes('node')),
        computes: Number(row.kinds.includes('compute')),
        nodesOnline: Number(node?.status === 'online'),
        computesAvailable: Number(compute?.status === 'available'),
      },
      status,
      isFree,
      region,
    };
  }

  protected add({ stats, status, isFree, region }: Part, sign: 1 | -1): void {
    for (const key of Object.keys(stats) as (keyof RegistryStats)[])
      this.#stats[key] += sign * stats[key];
    if (status !== null) this.#status[status] += sign;
    if (isFree) this.#free += sign;
    const names = (this.#regions.get(region) ?? 0) + sign;
    if (names === 0) this.#regions.delete(region);
    else this.#regions.set(region, names);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): RegistryStats {
    this.advance(now);
    return { ...this.#stats };
  }

  /** How many names have a node of each status, an offer with free slots, and each region, at `now` (ms). */
  facets(now: number) {
    this.advance(now);
    return { status: { ...this.#status }, free: this.#free, regions: new Map(this.#regions) };
  }
}
