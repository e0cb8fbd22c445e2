import type { PeerRow } from '#db/schema.ts';
import { UNKNOWN_REGION, type NodeClass } from '#server/common/values.schema.ts';
import { RunningTally } from '#server/live/index.ts';
import type { MeshStats } from './mesh.schema.ts';
import { peerStatus, peerStatusUntil } from './peer.ts';
import type { PeerStatus } from './values.schema.ts';

export type PeerTotals = Pick<MeshStats, 'peers' | PeerStatus | 'byClass' | 'byRegion'>;

/** How many peers there are, by status, class and region. */
export class PeerTally {
  #peers = 0;
  readonly #byStatus: Record<PeerStatus, number> = { online: 0, syncing: 0, idle: 0, offline: 0 };
  readonly #byClass: Record<NodeClass, number> = { S: 0, M: 0, L: 0 };
  readonly #byRegion = new Map<string, number>();
  readonly #tally = new RunningTally<
    PeerRow,
    { status: PeerStatus; class: NodeClass; region: string }
  >({
    part(row, now, until) {
      until(peerStatusUntil(row, now));
      return {
        status: peerStatus(row, now),
        class: row.class ?? 'S',
        region: row.region ?? UNKNOWN_REGION,
      };
    },
    add: (part, sign) => {
      this.#peers += sign;
      this.#byStatus[part.status] += sign;
      this.#byClass[part.class] += sign;
      const count = (this.#byRegion.get(part.region) ?? 0) + sign;
      if (count === 0) this.#byRegion.delete(part.region);
      else this.#byRegion.set(part.region, count);
    },
  });

  /** Adds a peer, or replaces the one with its id. */
  set(row: PeerRow, now: number): void {
    this.#tally.set(row, now);
  }

  delete(id: string): void {
    this.#tally.delete(id);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): PeerTotals {
    this.#tally.advance(now);
    return {
      peers: this.#peers,
      ...this.#byStatus,
      byClass: { ...this.#byClass },
      // No prototype: a region may have any name that matches its pattern.
      byRegion: Object.assign(
        Object.create(null) as Record<string, number>,
        // Sorted: the same on every server.
        Object.fromEntries([...this.#byRegion].sort(([a], [b]) => (a < b ? -1 : 1))),
      ),
    };
  }
}
