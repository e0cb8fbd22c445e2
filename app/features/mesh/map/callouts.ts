import type { Circle } from './mercator.ts';

/** Where a marker stands that is beside its place, on a line to it, so that it hides no other one. */

/** Radius of its disc, CSS px: that of Genesis. */
export const CALLOUT = 14;
/** Lengths of the line that are tried, CSS px. */
const LENGTHS = [20, 26, 32, 38, 44, 50];
/** Directions that are tried: up first, then to both sides, down last. */
const DIRECTIONS = Array.from({ length: 24 }, (_, n) => {
  const turn = Math.ceil(n / 2) * (n % 2 === 0 ? 1 : -1);
  return -Math.PI / 2 + (turn / 24) * 2 * Math.PI;
});
/** Room between it and another marker, CSS px. */
const ROOM = 2;
/** Its name above it: how high, and how much room it takes up, CSS px. */
const NAME = { above: 24, half: 26, height: 8 };

/** What a marker with its name covers, in circles. */
export const calloutCircles = ({ x, y }: { x: number; y: number }): Circle[] => [
  { x, y, radius: CALLOUT },
  ...nameOf(x, y),
];

const nameOf = (x: number, y: number): Circle[] =>
  [-1, 0, 1].map((side) => ({
    x: x + (side * NAME.half * 2) / 3,
    y: y - NAME.above,
    radius: NAME.height,
  }));

const isFree = (circles: readonly Circle[], taken: readonly Circle[]): boolean =>
  circles.every(({ x, y, radius }) =>
    taken.every((other) => Math.hypot(other.x - x, other.y - y) >= radius + other.radius + ROOM),
  );

/**
 * At its place if that is free; otherwise on the shortest line that leads to a free spot, with its name if possible;
 * straight up if none does.
 * @param taken what other markers cover, CSS px
 */
export function calloutAt(
  place: { x: number; y: number },
  taken: readonly Circle[],
): { x: number; y: number; lead: boolean } {
  if (isFree([{ ...place, radius: CALLOUT }], taken)) return { ...place, lead: false };
  for (const circlesOf of [calloutCircles, disc])
    for (const length of LENGTHS)
      for (const angle of DIRECTIONS) {
        const [x, y] = [place.x + length * Math.cos(angle), place.y + length * Math.sin(angle)];
        if (isFree(circlesOf({ x, y }), taken)) return { x, y, lead: true };
      }
  return { x: place.x, y: place.y - (LENGTHS.at(-1) as number), lead: true };
}

const disc = ({ x, y }: { x: number; y: number }): Circle[] => [{ x, y, radius: CALLOUT }];
