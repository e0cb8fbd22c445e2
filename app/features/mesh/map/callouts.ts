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
/** Where its name may be; above if nothing is in the way. */
const SIDES = ['above', 'right', 'left', 'below'] as const;
/** The middle of a name's line above or below the disc, and its beginning beside it, from the centre, CSS px. */
export const NAME_ABOVE = 24;
export const NAME_BESIDE = CALLOUT + 6;
/** Half the height that a name takes up, CSS px. */
const NAME_HEIGHT = 8;
/** The most characters of a name on the map: fewer where there is no room for all of them. */
const LONGEST = [24, 16, 10];
/** About the width of one in 600 at 12 px: of wide scripts, and of the others, CSS px. */
const [WIDE, NARROW] = [12, 6.4];

type Point = Pick<Circle, 'x' | 'y'>;

/** A name beside its disc, as much of it as has room: the side, and half of its width, CSS px. */
export interface CalloutName {
  text: string;
  side: (typeof SIDES)[number];
  half: number;
}

/** A disc with its name. */
export interface NamedDisc extends Point {
  name: CalloutName;
}

/** The whole of a name, and its beginnings. */
const namesOf = (label: string): Omit<CalloutName, 'side'>[] => {
  const letters = Array.from(label);
  return LONGEST.filter((most, n) => n === 0 || letters.length > most).map((most) => {
    const shown = letters.length > most ? [...letters.slice(0, most - 1), '…'] : letters;
    return { text: shown.join(''), half: halfOf(shown) };
  });
};

/** Half the width of a text, CSS px. An estimate, which needs no canvas. */
const halfOf = (letters: string[]): number =>
  letters.reduce((sum, letter) => sum + (letter >= '\u1100' && letter !== '…' ? WIDE : NARROW), 0) /
  2;

/** What a marker with its name covers, in circles. */
export const calloutCircles = (at: NamedDisc): Circle[] => [disc(at), ...nameCircles(at)];

const disc = ({ x, y }: Point): Circle => ({ x, y, radius: CALLOUT });

function nameCircles({ x, y, name: { side, half } }: NamedDisc): Circle[] {
  const across = side === 'right' ? 1 : side === 'left' ? -1 : 0;
  const middle = {
    x: x + across * (NAME_BESIDE + half),
    y: y + (side === 'above' ? -NAME_ABOVE : side === 'below' ? NAME_ABOVE : 0),
  };
  // From end to end, no further apart than they are high.
  const reach = Math.max(0, half - NAME_HEIGHT);
  const count = Math.max(2, Math.ceil(reach / NAME_HEIGHT) + 1);
  return Array.from({ length: count }, (_, n) => ({
    x: middle.x + reach * ((2 * n) / (count - 1) - 1),
    y: middle.y,
    radius: NAME_HEIGHT,
  }));
}

const isFree = (circles: readonly Circle[], taken: readonly Circle[]): boolean =>
  circles.every(({ x, y, radius }) =>
    taken.every(
      (other) => (other.x - x) ** 2 + (other.y - y) ** 2 >= (radius + other.radius + ROOM) ** 2,
    ),
  );

/**
 * At its place if that is free; otherwise on the shortest line that leads to a free spot. Its name is beside it where
 * nothing is, shorter if need be; if there is no room for it anywhere, above. Straight up if there is no room for the disc either.
 * @param taken what other markers cover, CSS px
 */
export function calloutAt(
  place: Point,
  label: string,
  taken: readonly Circle[],
): NamedDisc & { lead: boolean } {
  const names = namesOf(label);
  const spots = [
    { x: place.x, y: place.y, lead: false },
    ...LENGTHS.flatMap((length) =>
      DIRECTIONS.map((angle) => ({
        x: place.x + length * Math.cos(angle),
        y: place.y + length * Math.sin(angle),
        lead: true,
      })),
    ),
  ].filter((spot) => isFree([disc(spot)], taken));
  for (const name of names)
    for (const spot of spots)
      for (const side of SIDES) {
        // The line to its place goes through there.
        if (side === 'below' && spot.lead && spot.y < place.y) continue;
        const named = { ...spot, name: { ...name, side } };
        if (isFree(nameCircles(named), taken)) return named;
      }
  const up = { x: place.x, y: place.y - (LENGTHS.at(-1) as number), lead: true };
  return { ...(spots[0] ?? up), name: { ...(names.at(-1) as CalloutName), side: 'above' } };
}
