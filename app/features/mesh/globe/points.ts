import { CELLS, type Place } from '#server/mesh/places.schema.ts';
import { PEER_STATUSES, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import type { Pointed } from '../map/marker-description.ts';
import type { LatLng } from '../map/mercator.ts';
import type { PlaceFilter } from '../place-filter.ts';
import { dot, vectorOf, type Rotation, type Vector } from './orientation.ts';

/**
 * What the globe draws: each position with nodes that match the filter. In typed arrays, because every frame of a
 * drag goes through all of them. Those with few nodes come first, so that they are drawn below the others.
 */
export interface Points {
  size: number;
  /** x, y and z of each. */
  vectors: Float32Array;
  lats: Float64Array;
  lngs: Float64Array;
  counts: Uint32Array;
  /** The status that most of its nodes have, in the order of PEER_STATUSES. */
  statuses: Uint8Array;
}

const STATUS_OF_CELL = CELLS.map(({ status }) => PEER_STATUSES.indexOf(status));

interface Sum extends LatLng {
  count: number;
  byStatus: number[];
}

export function collectPoints(places: Iterable<Place>, { cells, region }: PlaceFilter): Points {
  const sums = new Map<string, Sum>();
  for (const { lat, lng, region: own, counts } of places) {
    if (region !== null && own !== region) continue;
    let sum: Sum | undefined;
    for (let cell = 0; cell < counts.length; cell++) {
      const count = counts[cell] as number;
      if (count === 0 || !cells[cell]) continue;
      if (!sum) {
        // Two regions can meet at a position.
        const key = `${lat},${lng}`;
        sum = sums.get(key) ?? { lat, lng, count: 0, byStatus: [0, 0, 0, 0] };
        sums.set(key, sum);
      }
      const status = STATUS_OF_CELL[cell] as number;
      sum.count += count;
      sum.byStatus[status] = (sum.byStatus[status] as number) + count;
    }
  }
  const sorted = [...sums.values()].sort((a, b) => a.count - b.count);
  const points: Points = {
    size: sorted.length,
    vectors: new Float32Array(3 * sorted.length),
    lats: new Float64Array(sorted.length),
    lngs: new Float64Array(sorted.length),
    counts: new Uint32Array(sorted.length),
    statuses: new Uint8Array(sorted.length),
  };
  sorted.forEach((sum, n) => {
    points.vectors.set(vectorOf(sum), 3 * n);
    points.lats[n] = sum.lat;
    points.lngs[n] = sum.lng;
    points.counts[n] = sum.count;
    points.statuses[n] = sum.byStatus.indexOf(Math.max(...sum.byStatus));
  });
  return points;
}

/**
 * The point nearest to a position on the globe's disc (in radii, right and up of its middle) on the side that faces
 * the viewer; null if none is within reach (radii).
 */
export function nearestPoint(
  { size, vectors }: Points,
  { right, up, front }: Rotation,
  [x, y]: readonly [number, number],
  reach: number,
): number | null {
  let nearest: number | null = null;
  let least = reach;
  for (let n = 0; n < size; n++) {
    const at = vectorAt(vectors, n);
    if (dot(at, front) <= 0) continue;
    const distance = Math.hypot(dot(at, right) - x, dot(at, up) - y);
    // The one that is drawn on top of several at the same distance.
    if (distance > least) continue;
    [nearest, least] = [n, distance];
  }
  return nearest;
}

const vectorAt = (vectors: Float32Array, n: number): Vector => [
  vectors[3 * n] as number,
  vectors[3 * n + 1] as number,
  vectors[3 * n + 2] as number,
];

/** What the tooltip says of a position: its nodes that match the filter. */
export function describePoint(
  places: Iterable<Place>,
  { cells, region }: PlaceFilter,
  { lat, lng }: LatLng,
): Pointed {
  const byStatus = [0, 0, 0, 0];
  const byRegion = new Map<string, number>();
  let size: NodeClass | null = null;
  for (const place of places) {
    if (place.lat !== lat || place.lng !== lng) continue;
    if (region !== null && place.region !== region) continue;
    place.counts.forEach((count, cell) => {
      if (count === 0 || !cells[cell]) return;
      const status = STATUS_OF_CELL[cell] as number;
      byStatus[status] = (byStatus[status] as number) + count;
      byRegion.set(place.region, (byRegion.get(place.region) ?? 0) + count);
      size = CELLS[cell]?.class ?? null;
    });
  }
  const total = byStatus.reduce((sum, n) => sum + n, 0);
  return {
    kind: 'marker',
    byStatus,
    size: total === 1 ? size : null,
    regions: [...byRegion].sort(([, a], [, b]) => b - a),
  };
}

/** The middle of all nodes, not too close to a pole: where the globe is turned at first. Null without nodes. */
export function middleOf({ size, vectors, counts }: Points): LatLng | null {
  const sum = [0, 0, 0] as [number, number, number];
  for (let n = 0; n < size; n++)
    for (const axis of [0, 1, 2] as const)
      sum[axis] += (vectors[3 * n + axis] as number) * (counts[n] as number);
  const [x, y, z] = sum;
  if (Math.hypot(x, y, z) === 0) return null;
  const degrees = 180 / Math.PI;
  const lat = Math.atan2(z, Math.hypot(x, y)) * degrees;
  return { lat: Math.max(-35, Math.min(35, lat)), lng: Math.atan2(y, x) * degrees };
}
