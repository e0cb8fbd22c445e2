import type { Outline } from './land-outlines.ts';
import { WORLD } from './mercator.ts';

/** Pixels across the picture of the world that tells where land is. */
const SIDE = 1024;

/** Where land is, on the coarse outlines. */
export class LandMask {
  /** @param bits a bit for each pixel of the world, row by row */
  constructor(private readonly bits: Uint8Array) {}

  /** @param x px at zoom 0, as `y` */
  has(x: number, y: number): boolean {
    const column = Math.floor(((((x % WORLD) + WORLD) % WORLD) / WORLD) * SIDE);
    const row = Math.floor((y / WORLD) * SIDE);
    if (row < 0 || row >= SIDE) return false;
    const at = row * SIDE + column;
    return (((this.bits[at >> 3] as number) >> (at & 7)) & 1) === 1;
  }
}

/** The bits of a mask of these outlines. */
export function landBits(land: readonly Outline[]): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((SIDE * SIDE) / 8);
  const context = new OffscreenCanvas(SIDE, SIDE).getContext('2d', { willReadFrequently: true });
  if (!context) return bits;
  context.scale(SIDE / WORLD, SIDE / WORLD);
  // Outlines extend across the date line.
  for (const world of [-WORLD, 0, WORLD]) {
    context.save();
    context.translate(world, 0);
    for (const { area, box } of land)
      if (box.left + world < WORLD && box.right + world > 0) context.fill(area);
    context.restore();
  }
  const { data } = context.getImageData(0, 0, SIDE, SIDE);
  for (let at = 0; at < SIDE * SIDE; at++)
    if ((data[4 * at + 3] as number) > 127)
      bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
  return bits;
}
