import type { ComputeStatus } from '#server/computes/values.schema.ts';
import type { NodeClass } from '#server/common/values.schema.ts';
import type { PeerStatus } from '#server/mesh/values.schema.ts';

/**
 * The shapes of the states, as SVG path data around the origin: drawn alike by the canvas of the map
 * and by the SVG of the legend, the list and the counts.
 */
export interface Glyph {
  fill?: string;
  stroke?: string;
}

/** Radius by class, px. */
export const RADIUS: Record<NodeClass, number> = { S: 4, M: 5.5, L: 7.5 };
/** Line of the rings and crosses, px. */
export const STROKE = 1.75;
/** Radius of the Genesis star and of its halo, px. */
export const STAR = 8;
export const HALO = 14;

const circle = (r: number) => `M${-r} 0a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;

/**
 * A disc online, a half-filled ring syncing, an open ring idle, a small cross offline. Of computes: a
 * disc available, an open ring busy.
 */
export function statusShape(status: PeerStatus | ComputeStatus, radius: number): Glyph {
  const ring = radius - STROKE / 2;
  const arm = radius * 0.62;
  switch (status) {
    case 'online':
    case 'available':
      return { fill: circle(radius) };
    case 'syncing':
      return { fill: `M0 ${-ring}A${ring} ${ring} 0 0 1 0 ${ring}Z`, stroke: circle(ring) };
    case 'idle':
    case 'busy':
      return { stroke: circle(ring) };
    case 'offline':
      return { stroke: `M${-arm} ${-arm}L${arm} ${arm}M${-arm} ${arm}L${arm} ${-arm}` };
  }
}

const WAIST = STAR * 0.16;
export const STAR_PATH = `M0 ${-STAR}Q${WAIST} ${-WAIST} ${STAR} 0Q${WAIST} ${WAIST} 0 ${STAR}Q${-WAIST} ${WAIST} ${-STAR} 0Q${-WAIST} ${-WAIST} 0 ${-STAR}Z`;
