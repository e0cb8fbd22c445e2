import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { DrawnPoint } from '../map/grid-points.ts';
import type { LatLng } from '../map/mercator.ts';
import { vectorOf } from './orientation.ts';

/**
 * Each position with nodes that match the filter, which the globe draws as a light below its markers. In typed arrays,
 * because every frame of a drag goes through all of them.
 */
export interface Points {
  /** x, y and z of each. */
  vectors: Float32Array;
  counts: Uint32Array;
  /** How many of its nodes are not offline. */
  alive: Uint32Array;
}

const OFFLINE = PEER_STATUSES.indexOf('offline');

export function pointsOf(drawn: Iterable<DrawnPoint>): Points {
  const matching = [...drawn].filter(({ drawn }) => drawn.count > 0);
  return {
    vectors: Float32Array.from(matching.flatMap(vectorOf)),
    counts: Uint32Array.from(matching, ({ drawn }) => drawn.count),
    alive: Uint32Array.from(matching, ({ drawn }) => drawn.count - (drawn.byStatus[OFFLINE] ?? 0)),
  };
}

/** The middle of all nodes, not too close to a pole: where the globe is turned at first. Null without nodes. */
export function middleOf({ vectors, counts }: Points): LatLng | null {
  const sum = [0, 0, 0] as [number, number, number];
  for (let n = 0; n < counts.length; n++)
    for (const axis of [0, 1, 2] as const)
      sum[axis] += (vectors[3 * n + axis] as number) * (counts[n] as number);
  const [x, y, z] = sum;
  if (Math.hypot(x, y, z) === 0) return null;
  const degrees = 180 / Math.PI;
  const lat = Math.atan2(z, Math.hypot(x, y)) * degrees;
  return { lat: Math.max(-35, Math.min(35, lat)), lng: Math.atan2(y, x) * degrees };
}
