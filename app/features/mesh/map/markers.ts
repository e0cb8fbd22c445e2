import Supercluster from 'supercluster';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { GridPoints, ICONS, type Point } from './grid-points.ts';
import { latAt, lngAt, project, WORLD, type Box, type LatLng } from './mercator.ts';

/**
 * What the map draws: single nodes, and clusters where icons would overlap. Because positions are rounded to
 * a grid, many nodes share one; they are a cluster at every zoom.
 */
export interface Marker {
  /** px at zoom 0 */
  x: number;
  y: number;
  /** Nodes in it. */
  count: number;
  /** Nodes by status, in the order of PEER_STATUSES. */
  byStatus: readonly number[];
  /** Radius on the screen, CSS px. */
  radius: number;
  /** Of a single node, its index in ICONS; null for a cluster. */
  icon: number | null;
  /** The grid point that all of its nodes share; null if there are several. */
  gridPoint: LatLng | null;
  /** What it is made of. */
  points: readonly Point[];
  /** South-west and north-east corner of its grid points. */
  bounds: readonly [LatLng, LatLng];
}

/** Radius of a cluster's ring by the number of its nodes, CSS px: a small one is quieter than a large one. */
export const clusterRadius = (count: number): number =>
  Math.min(8 + 3.6 * Math.log10(count), CLUSTER_RADIUS_MAX);
const CLUSTER_RADIUS_MAX = 25;

/** Radius that a single node takes up on the screen, CSS px. */
const SINGLE_RADIUS = 7;

const OFFLINE = PEER_STATUSES.indexOf('offline');

/** Grid points closer together than this share a marker, CSS px. */
const CLUSTER_DISTANCE = 56;

/** The zoom at which neighbouring points of a grid (degrees) are markers of their own: there is no more to see beyond. */
export const separatingZoom = (grid: number): number =>
  Math.ceil(4 * Math.log2((CLUSTER_DISTANCE * 360) / (WORLD * grid))) / 4;

/** The sum of the points of a marker, at a position between them. */
function markerOf(points: readonly Point[], [lng, lat]: [number, number]): Marker {
  const byStatus = [0, 0, 0, 0];
  let count = 0;
  let [south, north, west, east] = [90, -90, 180, -180];
  for (const { lat, lng, drawn } of points) {
    if (!drawn) continue;
    count += drawn.count;
    drawn.byStatus.forEach((n, status) => (byStatus[status] = (byStatus[status] ?? 0) + n));
    south = Math.min(south, lat);
    north = Math.max(north, lat);
    west = Math.min(west, lng);
    east = Math.max(east, lng);
  }
  const only = points.length === 1 ? points[0] : undefined;
  const { x, y } = only ?? project(lat, lng);
  return {
    x,
    y,
    count,
    byStatus,
    radius: count === 1 ? SINGLE_RADIUS : clusterRadius(count),
    icon: only?.drawn?.icon ?? null,
    gridPoint: only ? { lat: only.lat, lng: only.lng } : null,
    points,
    bounds: [
      { lat: south, lng: west },
      { lat: north, lng: east },
    ],
  };
}

/** Single nodes, then clusters, the largest last. */
const drawingOrder = ({ icon, count }: Marker) => icon ?? ICONS.length + count;

/** What a cluster is made of. Which points belong together depends on where they are, not on their counts. */
interface Members {
  points: Point[];
}

/** The markers of all places that match the filter, at any zoom. */
export class Markers extends GridPoints {
  #index: { scale: number; clusters: Supercluster<{ point: Point }, Members> } | undefined;
  #south: number | undefined;
  #alive: Float32Array | undefined;
  /** Changes with every count. */
  #version = 0;
  /** The markers of clusters, which are asked for again and again while the map moves, by their points. */
  readonly #clusterMarkers = new WeakMap<readonly Point[], { version: number; marker: Marker }>();

  protected override changed(placed: boolean): void {
    this.#version++;
    this.#alive = undefined;
    if (placed) this.#index = this.#south = undefined;
  }

  /** Where nodes are that are not offline, and how many: x, y (px at zoom 0), count and so on. */
  alive(): Float32Array {
    if (this.#alive) return this.#alive;
    const alive: number[] = [];
    for (const { x, y, drawn } of this.drawn()) {
      const count = drawn.count - (drawn.byStatus[OFFLINE] ?? 0);
      if (count > 0) alive.push(x, y, count);
    }
    return (this.#alive = Float32Array.from(alive));
  }

  /** The southernmost latitude where something is drawn, degrees. */
  south(): number {
    if (this.#south === undefined) {
      this.#south = 90;
      for (const { lat } of this.drawn()) this.#south = Math.min(this.#south, lat);
    }
    return this.#south;
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
    const markers = found.map(({ geometry, properties }) => {
      const position = geometry.coordinates as [number, number];
      return 'point' in properties
        ? markerOf([properties.point], position)
        : this.#clusterMarker(properties, position);
    });
    return markers.sort((a, b) => drawingOrder(a) - drawingOrder(b));
  }

  #clusterMarker(members: Members, position: [number, number]): Marker {
    const known = this.#clusterMarkers.get(members.points);
    if (known?.version === this.#version) return known.marker;
    const marker = markerOf(members.points, position);
    this.#clusterMarkers.set(members.points, { version: this.#version, marker });
    return marker;
  }

  /** Only for the zoom that is shown: all of them would take several times as long, and mostly for nothing. */
  #clusters(scale: number, zoom: number): Supercluster<{ point: Point }, Members> {
    if (this.#index?.scale === scale) return this.#index.clusters;
    const clusters = new Supercluster<{ point: Point }, Members>({
      minZoom: zoom,
      maxZoom: zoom,
      extent: WORLD,
      // Between two whole zooms the clusters have the same distance on the screen.
      radius: (CLUSTER_DISTANCE * 2 ** zoom) / scale,
      map: ({ point }) => ({ points: [point] }),
      reduce: (members, { points }) => void members.points.push(...points),
    });
    clusters.load(Array.from(this.drawn(), ({ drawn }) => drawn.feature));
    this.#index = { scale, clusters };
    return clusters;
  }
}
