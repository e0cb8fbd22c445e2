import type { DrawnPoint, Point } from '../map/grid-points.ts';
import type { LatLng } from '../map/mercator.ts';
import { dot, vectorOf, type Rotation, type Vector } from './orientation.ts';

/**
 * What the globe draws: each position with nodes that match the filter. In typed arrays, because every frame of a
 * drag goes through all of them. Those with few nodes come first, so that they are drawn below the others.
 */
export interface Points {
  all: readonly Point[];
  /** x, y and z of each. */
  vectors: Float32Array;
  counts: Uint32Array;
  /** The status that most of its nodes have, in the order of PEER_STATUSES. */
  statuses: Uint8Array;
}

export function pointsOf(drawn: Iterable<DrawnPoint>): Points {
  const all = [...drawn]
    .filter(({ drawn }) => drawn.count > 0)
    .sort((a, b) => a.drawn.count - b.drawn.count);
  return {
    all,
    vectors: Float32Array.from(all.flatMap(vectorOf)),
    counts: Uint32Array.from(all, ({ drawn }) => drawn.count),
    statuses: Uint8Array.from(all, ({ drawn: { byStatus } }) =>
      byStatus.indexOf(Math.max(...byStatus)),
    ),
  };
}

/**
 * The point nearest to a position on the globe's disc (in radii, right and up of its middle) on the side that faces
 * the viewer; null if none is within reach (radii).
 */
export function nearestPoint(
  { all, vectors }: Points,
  { right, up, front }: Rotation,
  [x, y]: readonly [number, number],
  reach: number,
): Point | null {
  let nearest: Point | null = null;
  let least = reach;
  for (let n = 0; n < all.length; n++) {
    const at = vectorAt(vectors, n);
    if (dot(at, front) <= 0) continue;
    const distance = Math.hypot(dot(at, right) - x, dot(at, up) - y);
    // The one that is drawn on top of several at the same distance.
    if (distance <= least) [nearest, least] = [all[n] as Point, distance];
  }
  return nearest;
}

const vectorAt = (vectors: Float32Array, n: number): Vector => [
  vectors[3 * n] as number,
  vectors[3 * n + 1] as number,
  vectors[3 * n + 2] as number,
];

/** The middle of all nodes, not too close to a pole: where the globe is turned at first. Null without nodes. */
export function middleOf({ all, vectors, counts }: Points): LatLng | null {
  const sum = [0, 0, 0] as [number, number, number];
  for (let n = 0; n < all.length; n++)
    for (const axis of [0, 1, 2] as const)
      sum[axis] += (vectors[3 * n + axis] as number) * (counts[n] as number);
  const [x, y, z] = sum;
  if (Math.hypot(x, y, z) === 0) return null;
  const degrees = 180 / Math.PI;
  const lat = Math.atan2(z, Math.hypot(x, y)) * degrees;
  return { lat: Math.max(-35, Math.min(35, lat)), lng: Math.atan2(y, x) * degrees };
}
