import type { MeshStore, StoreChange } from '#app/features/live/live-store.ts';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { PlaceFilter } from '../place-filter.ts';
import type { Pointed } from './marker-description.ts';
import { project, type LatLng } from './mercator.ts';

/**
 * The icon of every pair of class and status, in drawing order: large ones first and online ones last, so
 * that nothing important is hidden.
 */
export const ICONS = [...NODE_CLASSES]
  .reverse()
  .flatMap((size) => [...PEER_STATUSES].reverse().map((status) => ({ size, status })));

const ICON_OF_CELL = CELLS.map((cell) =>
  ICONS.findIndex(({ size, status }) => size === cell.class && status === cell.status),
);
const STATUS_OF_CELL = CELLS.map(({ status }) => PEER_STATUSES.indexOf(status));

/** What the map or the globe shows. */
export interface Shown {
  filter: PlaceFilter;
  /** Instead of all places those of a search; null: all. */
  places: readonly Place[] | null;
  /** They are of another time, so heartbeats of now don't pulse there. */
  past?: true;
  /** What the filter excludes is left out rather than dimmed. */
  matchesOnly?: true;
}

/** A point of the coordinate grid. */
export interface Point extends LatLng {
  /** px at zoom 0 */
  x: number;
  y: number;
  /** The places here: one for each region. */
  places: Map<string, Place>;
  /** What is drawn of them; null if that is nothing. */
  drawn: Drawn | null;
}

interface Drawn {
  /** Nodes that match the filter by status, in the order of PEER_STATUSES, and how many they are. */
  byStatus: number[];
  count: number;
  /** Dimmed nodes by status: those that the filter excludes. */
  dimmed: number[];
  /** All nodes that are drawn. */
  total: number;
  /** Of a single node, its index in ICONS; null for several. */
  icon: number | null;
}

export type DrawnPoint = Point & { drawn: Drawn };

/** A marker, as far as it is described. */
interface Described {
  byStatus: readonly number[];
  points: readonly Point[];
}

/** The grid points of all places, with their nodes that match the filter. */
export class GridPoints {
  readonly #points = new Map<string, Point>();
  #shown: Shown | undefined;
  #filter: PlaceFilter | undefined;
  #genesis: Genesis['status'] | undefined;

  /** Shows other places or another filter. */
  show(shown: Shown, store: Pick<MeshStore, 'rows'>): void {
    const replaced =
      shown.places !== this.#shown?.places || shown.matchesOnly !== this.#shown?.matchesOnly;
    this.#shown = shown;
    this.filter(shown.filter);
    if (replaced) this.replace(shown.places ?? store.rows());
  }

  /** @returns whether the drawing may have changed, which hardly any heartbeat does */
  update({ all, rows }: StoreChange<Place>, store: MeshStore): boolean {
    const { status } = store.head.genesis;
    let changed = status !== this.#genesis;
    this.#genesis = status;
    if (this.#shown?.places) return changed;
    if (all) this.replace(store.rows());
    else for (const place of rows) changed = this.set(place) || changed;
    return all || changed;
  }

  /** @returns whether the drawing may have changed */
  set(place: Place): boolean {
    const { lat, lng } = place;
    const key = `${lat},${lng}`;
    let point = this.#points.get(key);
    if (!point) {
      point = { lat, lng, ...project(lat, lng), places: new Map(), drawn: null };
      this.#points.set(key, point);
    }
    point.places.set(place.region, place);
    return this.#update(point);
  }

  /** Replaces all places. */
  replace(places: Iterable<Place>): void {
    this.#points.clear();
    for (const place of places) this.set(place);
    this.changed(true);
  }

  /** They are of another time, of which only counts are known. */
  get past(): boolean {
    return this.#shown?.past === true;
  }

  filter(filter: PlaceFilter): void {
    this.#filter = filter;
    for (const point of this.#points.values()) this.#update(point);
  }

  /** Those where something is drawn. */
  *drawn(): IterableIterator<DrawnPoint> {
    for (const point of this.#points.values()) if (isDrawn(point)) yield point;
  }

  /** Whether a node that was heard from is among what is drawn. */
  shows([lat, lng, region, cell]: PulseTuple): boolean {
    const point = this.#points.get(`${lat},${lng}`);
    return !this.#shown?.past && point?.places.has(region) === true && this.#counts(region, cell);
  }

  /** What a marker is, for those who point at it: its nodes that match. Of a past moment no single node is known. */
  describe({ byStatus, points }: Described): Pointed {
    const byRegion = new Map<string, number>();
    let [total, last] = [0, 0];
    let node: LatLng | null = null;
    for (const { places, lat, lng } of points)
      for (const { region, counts } of places.values()) {
        let shown = 0;
        counts.forEach((n, cell) => {
          if (n === 0 || !this.#counts(region, cell)) return;
          shown += n;
          last = cell;
          node = { lat, lng };
        });
        total += shown;
        if (shown > 0) byRegion.set(region, (byRegion.get(region) ?? 0) + shown);
      }
    const regions = [...byRegion].sort(([, n], [, m]) => m - n);
    const several = { kind: 'marker', byStatus, size: null, node: null, regions } as const;
    if (this.past) return { ...several, past: true };
    return total === 1 ? { ...several, size: CELLS[last]?.class ?? null, node } : several;
  }

  /** What is drawn has changed. @param counts also how many nodes are drawn somewhere, not only their states */
  protected changed(_counts: boolean): void {}

  #counts(region: string, cell: number): boolean {
    const filter = this.#filter;
    return !filter || (filter.cells[cell] === true && (filter.region ?? region) === region);
  }

  #update(point: Point): boolean {
    const before = point.drawn;
    const filter = this.#filter;
    const byStatus = [0, 0, 0, 0];
    const dimmed = [0, 0, 0, 0];
    let [count, total] = [0, 0];
    let icon: number | null = null;
    for (const { region, counts } of point.places.values()) {
      const elsewhere = (filter?.region ?? region) !== region;
      for (let cell = 0; cell < counts.length; cell++) {
        const there = counts[cell] ?? 0;
        if (there === 0) continue;
        const status = STATUS_OF_CELL[cell] ?? 0;
        const excluded = elsewhere || filter?.cells[cell] === false;
        if (excluded && this.#shown?.matchesOnly) continue;
        const nodes = excluded ? dimmed : byStatus;
        nodes[status] = (nodes[status] ?? 0) + there;
        if (!excluded) count += there;
        total += there;
        icon = ICON_OF_CELL[cell] ?? null;
      }
    }
    if (total !== 1) icon = null;
    const same =
      before?.total === total &&
      before.icon === icon &&
      before.byStatus.every((n, status) => n === byStatus[status]) &&
      before.dimmed.every((n, status) => n === dimmed[status]);
    if (same || (total === 0 && !before)) return false;
    point.drawn = total === 0 ? null : { byStatus, count, dimmed, total, icon };
    // Other states of the same nodes leave the clusters as they are.
    this.changed(before?.total !== total);
    return true;
  }
}

const isDrawn = (point: Point): point is DrawnPoint => point.drawn !== null;
