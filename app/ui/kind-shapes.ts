import type { Kind } from '@mesh-registry/protocol/values.schema.ts';

/**
 * The kinds of a name, as SVG path data in a box of 16 by 16 around the origin, drawn as lines: a node is a hexagon
 * with a centre, a compute offer a chip with its pins.
 */
export const KIND_PATH: Record<Kind, string> = {
  node: 'M0 -6.5L5.6 -3.25V3.25L0 6.5L-5.6 3.25V-3.25ZM-1.4 0a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0 -2.8 0',
  compute:
    'M-4.5 -4.5H4.5V4.5H-4.5ZM-1.75 -1.75H1.75V1.75H-1.75ZM-2 -4.5V-7M2 -4.5V-7M-2 7V4.5M2 7V4.5M-4.5 -2H-7M-4.5 2H-7M7 -2H4.5M7 2H4.5',
};

export const KIND_LABEL: Record<Kind, string> = { node: 'node', compute: 'compute offer' };
