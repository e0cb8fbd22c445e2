import type { Outline } from './land-outlines.ts';
import { WORLD } from './mercator.ts';

/** Where land is, on the coarse outlines. */
export class LandMask {
  readonly #side: number;

  /** @param bits a bit for each pixel of a square picture of the world, row by row */
  constructor(private readonly bits: Uint8Array) {
    this.#side = Math.sqrt(bits.length * 8);
  }

  /** @param x px at zoom 0, as `y` */
  has(x: number, y: number): boolean {
    const side = this.#side;
    const column = Math.floor(((((x % WORLD) + WORLD) % WORLD) / WORLD) * side);
    const row = Math.floor((y / WORLD) * side);
    if (row < 0 || row >= side) return false;
    const at = row * side + column;
    return (((this.bits[at >> 3] as number) >> (at & 7)) & 1) === 1;
  }
}

/** The bits of a mask of these outlines. @param side of the picture, px */
export function landBits(land: readonly Outline[], side: number): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((side * side) / 8);
  const context = new OffscreenCanvas(side, side).getContext('2d', { willReadFrequently: true });
  if (!context) return bits;
  context.scale(side / WORLD, side / WORLD);
  // Outlines extend across the date line.
  for (const world of [-WORLD, 0, WORLD]) {
    context.save();
    context.translate(world, 0);
    for (const { area, box } of land)
      if (box.left + world < WORLD && box.right + world > 0) context.fill(area);
    context.restore();
  }
  const { data } = context.getImageData(0, 0, side, side);
  for (let at = 0; at < side * side; at++)
    if ((data[4 * at + 3] as number) > 127)
      bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
  return bits;
}
