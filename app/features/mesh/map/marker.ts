import { ICONS, type Point } from './grid-points.ts';
import { project, type LatLng } from './mercator.ts';

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

const radiusOf = (count: number) => (count === 1 ? SINGLE_RADIUS : clusterRadius(count));

/** All that is drawn at one point. */
export function markerOf(point: Point): Marker {
  const { lat, lng, x, y, drawn } = point;
  const { count = 0, byStatus = [], icon = null } = drawn ?? {};
  const gridPoint = { lat, lng };
  return {
    x,
    y,
    count,
    byStatus,
    radius: radiusOf(count),
    icon,
    gridPoint,
    points: [point],
    bounds: [gridPoint, gridPoint],
  };
}

/** The sum of several points, at a position between them. */
export function clusterOf(points: readonly Point[], [lng, lat]: [number, number]): Marker {
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
  return {
    ...project(lat, lng),
    count,
    byStatus,
    radius: radiusOf(count),
    icon: null,
    gridPoint: null,
    points,
    bounds: [
      { lat: south, lng: west },
      { lat: north, lng: east },
    ],
  };
}

/** Single nodes, then clusters, the largest last. */
export const drawingOrder = ({ icon, count }: Marker) => icon ?? ICONS.length + count;
