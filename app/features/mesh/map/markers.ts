import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { RADIUS } from '#app/ui/status-shapes.ts';
import { GridPoints, ICONS, type DrawnPoint, type Point } from './grid-points.ts';
import type { LandMask } from './land-mask.ts';
import { WORLD, xInWorld, type Box, type LatLng } from './mercator.ts';
import { ringRadius, ringsOf, ringSteps, type Ring, type Spots } from './rings.ts';

/**
 * What the map draws: single nodes, and clusters where icons would overlap. Because positions are rounded to
 * a grid, many nodes share one; they are a cluster at every zoom.
 */
export interface Marker extends Sum {
  /** px at zoom 0 */
  x: number;
  y: number;
  /** Where its nodes are, px at zoom 0, if it had to move away from there. */
  foot: { x: number; y: number } | null;
  /** South-west and north-east corner of its grid points that match the filter. */
  bounds: readonly [LatLng, LatLng];
}

/** What a marker shows, wherever it is. */
export interface Sum {
  /** Nodes in it that match the filter, by status in the order of PEER_STATUSES, and how many they are. */
  byStatus: readonly number[];
  count: number;
  /** Nodes in it that the filter excludes, by status. */
  dimmed: readonly number[];
  /** All nodes in it. */
  total: number;
  /** Radius on the screen, CSS px. */
  radius: number;
  /** Of a single node, its index in ICONS; null for a cluster. */
  icon: number | null;
  /** The grid point that all of its nodes share; null if there are several. */
  gridPoint: LatLng | null;
  /** What it is made of. */
  points: readonly Point[];
}

const OFFLINE = PEER_STATUSES.indexOf('offline');

/** At the highest zoom neighbouring points of the grid are this far apart, CSS px: a finger hits either. */
const SEPARATE = 44;

/** The zoom at which neighbouring points of a grid (degrees) are markers of their own: there is no more to see beyond. */
export const separatingZoom = (grid: number): number =>
  Math.ceil(4 * Math.log2((SEPARATE * 360) / (WORLD * grid))) / 4;

/** Single nodes, then clusters, the largest last. */
const drawingOrder = ({ icon, total }: Marker) => icon ?? ICONS.length + total;

/** The markers of one scale. Those that are asked for are made and kept until a node of theirs changes. */
interface Index {
  points: DrawnPoint[];
  rings: Ring[];
  markers: Marker[];
  version: number;
}

/** Scales whose clusters are kept. */
const KEPT = 6;

/** The markers of all places, at any zoom. */
export class Markers extends GridPoints {
  /** Where the world begins, px at zoom 0: it ends one world further. */
  cut = 0;
  /** By scale, the one used last at the end. */
  readonly #indexes = new Map<number, Index>();
  #land: LandMask | null = null;
  #south: number | undefined;
  #alive: Float32Array | undefined;
  /** Changes with every count. */
  version = 0;
  /** Changes where clusters may be others: with where nodes are and how many, but not with their states. */
  generation = 0;

  protected override changed(counts: boolean): void {
    this.version++;
    this.#alive = undefined;
    if (!counts) return;
    this.generation++;
    this.#indexes.clear();
    this.#south = undefined;
  }

  /** Where the world is cut open, px at zoom 0. */
  cutAt(cut: number): void {
    if (cut === this.cut) return;
    this.cut = cut;
    this.changed(true);
  }

  /** Clusters stand on land once it is known. */
  stayOn(land: LandMask): void {
    this.#land = land;
    this.changed(true);
  }

  /** Where nodes are that match and are not offline, and how many: x, y (px at zoom 0), count and so on. */
  alive(): Float32Array {
    if (this.#alive) return this.#alive;
    const alive: number[] = [];
    for (const { x, y, drawn } of this.drawn()) {
      const count = drawn.count - (drawn.byStatus[OFFLINE] ?? 0);
      if (count > 0) alive.push(xInWorld(x, this.cut), y, count);
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
    const index = this.#indexAt(scale);
    const found: Marker[] = [];
    index.rings.forEach(({ at: [x, y] }, n) => {
      if (x < left * scale || x > right * scale || y < top * scale || y > bottom * scale) return;
      found.push((index.markers[n] ??= markerOf(index, n, scale, this.cut)));
    });
    return found.sort((a, b) => drawingOrder(a) - drawingOrder(b));
  }

  /** Makes the clusters of a scale in steps, before they are asked for. */
  *prepare(scale: number): Generator<void> {
    const { generation, version } = this;
    if (this.#indexes.has(scale)) return;
    const spots = this.#spotsAt(scale);
    const rings = yield* ringSteps(spots);
    // What has changed meanwhile is in the next ones.
    if (generation === this.generation)
      this.#keep(scale, { ...spots, rings, markers: [], version });
  }

  #indexAt(scale: number): Index {
    let index = this.#indexes.get(scale);
    if (!index) {
      const spots = this.#spotsAt(scale);
      index = { ...spots, rings: ringsOf(spots), markers: [], version: this.version };
    }
    this.#keep(scale, index);
    if (index.version !== this.version)
      Object.assign(index, { version: this.version, markers: [] });
    return index;
  }

  #keep(scale: number, index: Index): void {
    this.#indexes.delete(scale);
    this.#indexes.set(scale, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > KEPT && oldest !== undefined) this.#indexes.delete(oldest);
  }

  #spotsAt(scale: number): Spots & { points: DrawnPoint[] } {
    const points = [...this.drawn()];
    const at = new Float64Array(3 * points.length);
    points.forEach(({ x, y }, n) => {
      at[3 * n] = xInWorld(x, this.cut) * scale;
      at[3 * n + 1] = y * scale;
    });
    const land = this.#land;
    return {
      points,
      at,
      weights: points.map(({ drawn }) => drawn.total),
      round: false,
      land: land && ((x, y) => land.has(x / scale, y / scale)),
    };
  }
}

/** The marker of these points, as the map and the globe draw it. */
export function sumOf(points: readonly DrawnPoint[]): Sum {
  const byStatus = [0, 0, 0, 0];
  const dimmed = [0, 0, 0, 0];
  let [count, total] = [0, 0];
  for (const { drawn } of points) {
    count += drawn.count;
    total += drawn.total;
    drawn.byStatus.forEach((n, status) => (byStatus[status] = (byStatus[status] ?? 0) + n));
    drawn.dimmed.forEach((n, status) => (dimmed[status] = (dimmed[status] ?? 0) + n));
  }
  const icon = total === 1 ? (points[0]?.drawn.icon ?? null) : null;
  const only = points.length === 1 ? points[0] : undefined;
  return {
    byStatus,
    count,
    dimmed,
    total,
    radius: icon === null ? ringRadius(total) : RADIUS[ICONS[icon]?.size ?? 'S'],
    icon,
    gridPoint: only ? { lat: only.lat, lng: only.lng } : null,
    points,
  };
}

/** The point with most nodes that match. */
export const mostOf = (points: readonly Point[]): LatLng | null =>
  points.reduce<Point | null>(
    (most, point) => ((point.drawn?.count ?? 0) > (most?.drawn?.count ?? 0) ? point : most),
    null,
  );

/** A ring with its nodes, where it stands on the map. */
function markerOf({ points: all, rings }: Index, n: number, scale: number, cut: number): Marker {
  const { members, at, centre, lead } = rings[n] as Ring;
  const points = members.map((member) => all[member] as DrawnPoint);
  const matching = points.filter(({ drawn }) => drawn.count > 0);
  return {
    ...sumOf(points),
    x: at[0] / scale,
    y: at[1] / scale,
    foot: lead ? { x: centre[0] / scale, y: centre[1] / scale } : null,
    bounds: boundsOf(matching.length > 0 ? matching : points, cut),
  };
}

function boundsOf(points: readonly Point[], cut: number): [LatLng, LatLng] {
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { lat, lng, x } of points) {
    south = Math.min(south, lat);
    north = Math.max(north, lat);
    // Beyond the date line it goes on from 180.
    const along = x < cut ? lng + 360 : lng;
    west = Math.min(west, along);
    east = Math.max(east, along);
  }
  return [
    { lat: south, lng: west },
    { lat: north, lng: east },
  ];
}
