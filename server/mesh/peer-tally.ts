import type { PeerRow } from '#db/schema/index.ts';
import {
  recordFrom,
  NODE_CLASSES,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { RunningTally } from '#server/live/index.ts';
import type { MeshStats } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { peerStatus, peerStatusUntil, shownClass, shownRegion } from './peer.ts';
import type { PlaceCell, PlaceIndex } from './places.ts';

export type PeerTotals = Pick<MeshStats, 'peers' | PeerStatus | 'byClass' | 'byRegion'>;

/** How many peers there are, by status, class and region, and at each place. */
export class PeerTally {
  #peers = 0;
  readonly #byStatus = recordFrom(PEER_STATUSES, () => 0);
  readonly #byClass = recordFrom(NODE_CLASSES, () => 0);
  readonly #byRegion = new Map<string, number>();
  readonly #tally = new RunningTally<PeerRow, PlaceCell>({
    part: (row, now, until) => {
      until(peerStatusUntil(row, now));
      const { lat, lng } = row;
      const place = { lat, lng, region: shownRegion(row) };
      return this.places.cell(place, peerStatus(row, now), shownClass(row));
    },
    add: (cell, sign) => {
      this.#peers += sign;
      this.#byStatus[cell.status] += sign;
      this.#byClass[cell.class] += sign;
      const { region } = cell.place;
      const count = (this.#byRegion.get(region) ?? 0) + sign;
      if (count === 0) this.#byRegion.delete(region);
      else this.#byRegion.set(region, count);
      this.places.add(cell, sign);
    },
  });

  constructor(private readonly places: PlaceIndex) {}

  /** Adds a peer, or replaces the one with its id. */
  set(row: PeerRow, now: number): void {
    this.#tally.set(row, now);
  }

  delete(id: string): void {
    this.#tally.delete(id);
  }

  /** Counts the peers as of `now` (ms), which must not go back. */
  advance(now: number): void {
    this.#tally.advance(now);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): PeerTotals {
    this.advance(now);
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
