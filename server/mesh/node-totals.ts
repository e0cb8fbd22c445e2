import type { MeshStats } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  recordFrom,
  NODE_CLASSES,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import type { PeerRow } from '#db/schema/index.ts';
import { Totals } from '#server/live/index.ts';
import { peerStatus, peerStatusUntil, shownClass, shownRegion } from './peer.ts';
import type { PlaceCell, PlaceIndex } from './places.ts';

/** How many nodes there are, by status, class and region, and at each place. */
export class NodeTotals extends Totals<PeerRow, PlaceCell> {
  #peers = 0;
  readonly #byStatus = recordFrom(PEER_STATUSES, () => 0);
  readonly #byClass = recordFrom(NODE_CLASSES, () => 0);
  readonly #byRegion = new Map<string, number>();

  /** @param grid the coordinate grid, degrees */
  constructor(
    private readonly places: PlaceIndex,
    private readonly grid: number,
  ) {
    super();
  }

  protected part(row: PeerRow, now: number, until: (moment: number) => void): PlaceCell {
    until(peerStatusUntil(row, now));
    const { lat, lng } = row;
    const place = { lat, lng, region: shownRegion(row, this.grid) };
    return this.places.cell(place, peerStatus(row, now), shownClass(row));
  }

  protected add(cell: PlaceCell, sign: 1 | -1): void {
    this.#peers += sign;
    this.#byStatus[cell.status] += sign;
    this.#byClass[cell.class] += sign;
    const { region } = cell.place;
    const count = (this.#byRegion.get(region) ?? 0) + sign;
    if (count === 0) this.#byRegion.delete(region);
    else this.#byRegion.set(region, count);
    this.places.add(cell, sign);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): Pick<MeshStats, 'peers' | PeerStatus | 'byClass' | 'byRegion'> {
    this.advance(now);
    return {
      peers: this.#peers,
      ...this.#byStatus,
      byClass: { ...this.#byClass },
      // No prototype: a region may have any name that matches its pattern.
      byRegion: Object.assign(
        Object.create(null) as Record<string, number>,
        // They are sorted, so that every server answers the same.
        Object.fromEntries([...this.#byRegion].sort(([a], [b]) => (a < b ? -1 : 1))),
      ),
    };
  }
}
