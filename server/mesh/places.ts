import type { NodeClass, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { LiveTable } from '#server/live/index.ts';
import { CELLS, cellOf, placeId, type Place } from './places.schema.ts';

interface CountedPlace extends Omit<Place, 'counts'> {
  counts: number[];
  total: number;
  /** Its cells by their number; each is made when it is first asked for. */
  cells: (PlaceCell | undefined)[];
}

/** The nodes of one status and class at one place. Asking for it again gives the same object while it has nodes. */
export interface PlaceCell {
  readonly place: CountedPlace;
  readonly status: PeerStatus;
  readonly class: NodeClass;
}

/** A place as of its last change. Nothing modifies it. */
export interface PlaceVersion extends Place {
  rev: number;
}

/**
 * How many nodes are at each place, by status and class. Counting costs the same for any number of nodes; what has
 * changed becomes visible in `table` by `publish()`, each place once however many of its nodes have changed.
 */
export class PlaceIndex {
  readonly table = new LiveTable<PlaceVersion>();
  readonly #places = new Map<string, CountedPlace>();
  readonly #changed = new Set<CountedPlace>();

  /** Where a node is counted. */
  cell(at: Pick<Place, 'lat' | 'lng' | 'region'>, status: PeerStatus, size: NodeClass): PlaceCell {
    const id = placeId(at);
    let place = this.#places.get(id);
    if (!place) {
      const { lat, lng, region } = at;
      place = { id, lat, lng, region, counts: CELLS.map(() => 0), total: 0, cells: [] };
      this.#places.set(id, place);
    }
    return (place.cells[cellOf(status, size)] ??= { place, status, class: size });
  }

  /** Counts a node, or no longer. */
  add({ place, status, class: size }: PlaceCell, sign: 1 | -1): void {
    const cell = cellOf(status, size);
    place.counts[cell] = (place.counts[cell] ?? 0) + sign;
    place.total += sign;
    this.#changed.add(place);
  }

  /** Brings `table` level with the counts. */
  publish(): void {
    for (const place of this.#changed) {
      const { id, lat, lng, region, counts, total } = place;
      const before = this.table.get(id);
      if (total === 0) {
        this.#places.delete(id);
        this.table.remove(id);
      } else if (!before?.counts.every((count, cell) => count === counts[cell]))
        this.table.apply([
          { id, rev: (before?.rev ?? 0) + 1, lat, lng, region, counts: [...counts] },
        ]);
    }
    this.#changed.clear();
  }
}
