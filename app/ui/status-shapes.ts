import {
  never,
  type ComputeStatus,
  type NodeClass,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';

/**
 * The shape of a status, as SVG path data around the origin. The map draws it on a canvas; legend, lists and
 * counts as SVG.
 */
export interface StatusShape {
  fill?: string;
  stroke?: string;
  /** The stroke is a ring in dashes. */
  dashed?: true;
}

/** Radius by class, px. */
export const RADIUS: Record<NodeClass, number> = { S: 4, M: 5.5, L: 7.5 };
/** Line width of rings and crosses, px. */
export const STROKE = 1.75;
/** Radius of the Genesis star and of its halo, px. */
export const STAR = 8;
export const HALO = 14;

const circle = (r: number) => `M${-r} 0a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;

/**
 * Online is a disc, syncing a half-filled ring, idle an open ring, offline a small cross; a ring in dashes is
 * not known, a barred one is blocked. Of compute offers, available is a disc and busy an open ring.
 * @param radius of what is drawn, with its stroke, px
 * @param width of the stroke, px
 */
export function statusShape(
  status: PeerStatus | ComputeStatus | 'unknown' | 'blocked',
  radius: number,
  width = STROKE,
): StatusShape {
  const ring = radius - width / 2;
  const arm = Math.round(radius * 62) / 100;
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
    case 'unknown':
      return { stroke: circle(ring), dashed: true };
    case 'blocked': {
      const bar = ring * Math.SQRT1_2;
      return { stroke: `${circle(ring)}M${-bar} ${bar}L${bar} ${-bar}` };
    }
    default:
      return never(status);
  }
}

const WAIST = STAR * 0.16;
export const STAR_PATH = `M0 ${-STAR}Q${WAIST} ${-WAIST} ${STAR} 0Q${WAIST} ${WAIST} 0 ${STAR}Q${-WAIST} ${WAIST} ${-STAR} 0Q${-WAIST} ${-WAIST} 0 ${-STAR}Z`;
