import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BESIDE, DRIFT, MANY, NEAR, ringRadius, ringsOf, type Ring, type Spots } from './rings.ts';

type Vector = readonly [x: number, y: number, z: number];
const apart = (a: Vector, b: Vector) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const placeOf = ({ at }: Spots, n: number): Vector => [
  at[3 * n] as number,
  at[3 * n + 1] as number,
  at[3 * n + 2] as number,
];
const weightOf = ({ weights }: Spots, { members }: Ring) =>
  members.reduce((sum, n) => sum + (weights[n] as number), 0);
const radiusOf = (spots: Spots, ring: Ring) => {
  const weight = weightOf(spots, ring);
  return weight > 1 ? ringRadius(weight) : 0;
};

const place = fc.record({
  x: fc.double({ min: 0, max: 600, noNaN: true }),
  y: fc.double({ min: 0, max: 400, noNaN: true }),
  weight: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3000 })),
});
/** An island, and the coast of a continent. */
const land = (x: number, y: number) => Math.hypot(x - 150, y - 150) < 60 || x > 350 + y / 4;
const flat = (places: { x: number; y: number; weight: number }[], where = true): Spots => ({
  at: Float64Array.from(places.flatMap(({ x, y }) => [x, y, 0])),
  weights: places.map(({ weight }) => weight),
  round: false,
  land: where ? land : null,
});
/** The same places on a ball. */
const ball = (places: { x: number; y: number; weight: number }[]): Spots => ({
  ...flat(places, false),
  at: Float64Array.from(
    places.flatMap(({ x, y }) => {
      const [lambda, phi] = [(x / 600) * 6.28, (y / 400 - 0.5) * 3];
      return [
        300 * Math.cos(phi) * Math.cos(lambda),
        300 * Math.cos(phi) * Math.sin(lambda),
        300 * Math.sin(phi),
      ];
    }),
  ),
  round: true,
});

const places = fc.array(place, { maxLength: 120 });
const onMapOrBall = fc.tuple(places, fc.constantFrom(flat, ball)).map(([all, on]) => on(all));

describe('rings', () => {
  test('every place is in exactly one ring', () => {
    fc.assert(
      fc.property(onMapOrBall, (spots) => {
        const members = ringsOf(spots).flatMap((ring) => ring.members);
        expect(members.sort((a, b) => a - b)).toEqual(
          Array.from({ length: spots.weights.length }, (_, n) => n),
        );
      }),
    );
  });

  test('none overlaps another one, and their centres are 30 px apart', () => {
    fc.assert(
      fc.property(onMapOrBall, (spots) => {
        const rings = ringsOf(spots);
        rings.forEach((a, index) => {
          for (const b of rings.slice(index + 1)) {
            expect(apart(a.centre, b.centre)).toBeGreaterThanOrEqual(NEAR);
            expect(apart(a.at, b.at)).toBeGreaterThanOrEqual(
              radiusOf(spots, a) + radiusOf(spots, b) - 0.01,
            );
          }
        });
      }),
    );
  });

  test('each stands within 12 px of the weighted centre of its nodes, or has a lead', () => {
    fc.assert(
      fc.property(onMapOrBall, (spots) => {
        for (const ring of ringsOf(spots)) {
          const weight = weightOf(spots, ring);
          for (const axis of [0, 1, 2] as const) {
            const sum = ring.members.reduce(
              (all, n) => all + placeOf(spots, n)[axis] * (spots.weights[n] as number),
              0,
            );
            expect(ring.centre[axis]).toBeCloseTo(sum / weight, 4);
          }
          if (!ring.lead) expect(apart(ring.at, ring.centre)).toBeLessThanOrEqual(DRIFT + 0.01);
          else expect(apart(ring.at, ring.centre)).toBeGreaterThan(DRIFT);
        }
      }),
    );
  });

  test('from ten nodes on a ring is on land, and a smaller one over the sea is beside a node', () => {
    fc.assert(
      fc.property(places, (all) => {
        const spots = flat(all);
        for (const ring of ringsOf(spots)) {
          const [x, y] = ring.at;
          if (land(x, y)) continue;
          const nearest = Math.min(...ring.members.map((n) => apart(placeOf(spots, n), ring.at)));
          // Where no land is near, the place of a node is as good as land: somebody is there.
          if (weightOf(spots, ring) < MANY) expect(nearest).toBeLessThanOrEqual(BESIDE + 0.01);
          else expect(nearest).toBeLessThan(0.01);
        }
      }),
    );
  });

  test('a single node stands exactly where it is', () => {
    fc.assert(
      fc.property(places, (all) => {
        const spots = flat(all);
        for (const ring of ringsOf(spots))
          if (weightOf(spots, ring) === 1)
            expect(ring.at).toEqual(placeOf(spots, ring.members[0] as number));
      }),
    );
  });

  test('the same places give the same rings in any order', () => {
    fc.assert(
      fc.property(
        places.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([all, shuffled]) => {
          const standing = (from: typeof all) =>
            ringsOf(flat(from, false))
              .map(({ centre: [x, y] }) => `${Math.round(x)},${Math.round(y)}`)
              .sort();
          expect(standing(shuffled).length).toBe(standing(all).length);
        },
      ),
    );
  });

  test('radii grow with the number of nodes alone', () => {
    expect(ringRadius(2)).toBeCloseTo(10.6);
    expect(ringRadius(94)).toBeCloseTo(21.7, 1);
  });
});
