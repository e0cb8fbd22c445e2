declare module 'polylabel' {
  /** The point of a polygon that is farthest from its outline, and how far. */
  export default function polylabel(
    polygon: number[][][],
    precision?: number,
  ): number[] & { distance: number };
}
