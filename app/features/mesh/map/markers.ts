import Supercluster from 'supercluster';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { PlaceFilter } from '../place-filter.ts';
import { clusterOf, drawingOrder, ICONS, markerOf, type Marker, type Point } from './marker.ts';
import { latAt, lngAt, project, WORLD, type Box, type LatLng } from './mercator.ts';

const ICON_OF_CELL = CELLS.map((cell) =>
  ICONS.findIndex(({ size, status }) => size === cell.class && status === cell.status),
);
const OFFLINE = PEER_STATUSES.indexOf('offline');
const STATUS_OF_CELL = CELLS.map(({ status }) => PEER_STATUSES.indexOf(status));

/** Grid points closer together than this share a marker, CSS px. */
const CLUSTER_DISTANCE = 56;

/** The zoom at which neighbouring points of a grid (degrees) are markers of their own: there is no more to see beyond. */
export const separatingZoom = (grid: number): number =>
  Math.ceil(4 * Math.log2((CLUSTER_DISTANCE * 360) / (WORLD * grid))) / 4;

/** What a cluster is made of. Which points belong together depends on where they are, not on their counts. */
interface Members {
  points: Point[];
}

/** The markers of all places that match the filter, at any zoom. */
export class Markers {
  readonly #points = new Map<string, Point>();
  #filter: PlaceFilter | undefined;
  #index: { zoom: number; clusters: Supercluster<{ point: Point }, Members> } | undefined;
  #south: number | undefined;
  #alive: Float32Array | undefined;
  /** Changes with every count. */
  #version = 0;
  /** The markers of clusters, which are asked for again and again while the map moves, by their points. */
  readonly #clusterMarkers = new WeakMap<readonly Point[], { version: number; marker: Marker }>();

  /** @returns whether the drawing may have changed, which hardly any heartbeat does */
  set(place: Place): boolean {
    const key = `${place.lat},${place.lng}`;
    let point = this.#points.get(key);
    if (!point) {
      const { lat, lng } = place;
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
    this.#changed();
    this.#index = this.#south = undefined;
  }

  filter(filter: PlaceFilter): void {
    this.#filter = filter;
    for (const point of this.#points.values()) this.#update(point);
  }

  /** The regions of a marker with their nodes, those with most first. */
  regionsOf({ points }: Marker): [region: string, nodes: number][] {
    const byRegion: Record<string, number> = {};
    for (const { places } of points)
      for (const { region, counts } of places.values()) {
        const shown = counts.reduce(
          (sum, n, cell) => sum + (this.#counts(region, cell) ? n : 0),
          0,
        );
        if (shown > 0) byRegion[region] = (byRegion[region] ?? 0) + shown;
      }
    return Object.entries(byRegion).sort(([, n], [, m]) => m - n);
  }

  #counts(region: string, cell: number): boolean {
    const filter = this.#filter;
    return !filter || (filter.cells[cell] === true && (filter.region ?? region) === region);
  }

  /** Whether a node that was heard from is among what is drawn. */
  shows([lat, lng, region, cell]: PulseTuple): boolean {
    const point = this.#points.get(`${lat},${lng}`);
    return point?.places.has(region) === true && this.#counts(region, cell);
  }

  /** Where nodes are that are not offline, and how many: x, y (px at zoom 0), count and so on. */
  alive(): Float32Array {
    if (this.#alive) return this.#alive;
    const alive = new Float32Array(this.#points.size * 3);
    let at = 0;
    for (const { x, y, drawn } of this.#points.values()) {
      const count = (drawn?.count ?? 0) - (drawn?.byStatus[OFFLINE] ?? 0);
      if (count > 0) alive.set([x, y, count], 3 * at++);
    }
    return (this.#alive = alive.subarray(0, 3 * at));
  }

  /** The southernmost latitude where something is drawn, degrees. */
  south(): number {
    if (this.#south === undefined) {
      this.#south = 90;
      for (const { lat } of this.drawn()) this.#south = Math.min(this.#south, lat);
    }
    return this.#south;
  }

  /** Where something is drawn. */
  *drawn(): IterableIterator<LatLng> {
    for (const { lat, lng, drawn } of this.#points.values()) if (drawn) yield { lat, lng };
  }

  /**
   * The markers in a part of the map, in drawing order: single nodes, then clusters, the largest last.
   * @param scale px per px of zoom 0
   */
  within({ left, right, top, bottom }: Box, scale: number): Marker[] {
    const zoom = Math.max(0, Math.floor(Math.log2(scale)));
    const found = this.#clusters(scale, zoom).getClusters(
      [lngAt(left), latAt(bottom), lngAt(right), latAt(top)],
      zoom,
    );
    const markers = found.map(({ geometry, properties }) =>
      'point' in properties
        ? markerOf(properties.point)
        : this.#clusterMarker(properties, geometry.coordinates as [number, number]),
    );
    return markers.sort((a, b) => drawingOrder(a) - drawingOrder(b));
  }

  #clusterMarker(members: Members, position: [number, number]): Marker {
    const known = this.#clusterMarkers.get(members.points);
    if (known?.version === this.#version) return known.marker;
    const marker = clusterOf(members.points, position);
    this.#clusterMarkers.set(members.points, { version: this.#version, marker });
    return marker;
  }

  /** Only for the zoom that is shown: all of them would take several times as long, and mostly for nothing. */
  #clusters(scale: number, zoom: number): Supercluster<{ point: Point }, Members> {
    if (this.#index?.zoom === scale) return this.#index.clusters;
    const clusters = new Supercluster<{ point: Point }, Members>({
      minZoom: zoom,
      maxZoom: zoom,
      extent: WORLD,
      // Between two whole zooms the clusters have the same distance on the screen.
      radius: (CLUSTER_DISTANCE * 2 ** zoom) / scale,
      map: ({ point }) => ({ points: [point] }),
      reduce: (members, { points }) => void members.points.push(...points),
    });
    const features = [];
    for (const { drawn } of this.#points.values()) if (drawn) features.push(drawn.feature);
    clusters.load(features);
    this.#index = { zoom: scale, clusters };
    return clusters;
  }

  #changed(): void {
    this.#version++;
    this.#alive = undefined;
  }

  #update(point: Point): boolean {
    const before = point.drawn;
    const filter = this.#filter;
    const byStatus = [0, 0, 0, 0];
    let count = 0;
    let icon: number | null = null;
    for (const { region, counts } of point.places.values()) {
      if (filter && filter.region !== null && filter.region !== region) continue;
      for (let cell = 0; cell < counts.length; cell++) {
        const shown = counts[cell] ?? 0;
        if (shown === 0 || filter?.cells[cell] === false) continue;
        const status = STATUS_OF_CELL[cell] ?? 0;
        byStatus[status] = (byStatus[status] ?? 0) + shown;
        count += shown;
        icon = ICON_OF_CELL[cell] ?? null;
      }
    }
    if (count !== 1) icon = null;
    const same =
      before?.count === count &&
      before.icon === icon &&
      before.byStatus.every((n, status) => n === byStatus[status]);
    if (same || (count === 0 && !before)) return false;
    const feature = before?.feature ?? {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [point.lng, point.lat] },
      properties: { point },
    };
    point.drawn = count === 0 ? null : { byStatus, count, icon, feature };
    this.#changed();
    // Other counts at the same points leave the clusters as they are.
    if (!before || count === 0) this.#index = this.#south = undefined;
    return true;
  }
}
