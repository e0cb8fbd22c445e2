import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CALLOUT, calloutAt, calloutCircles } from './callouts.ts';
import type { Circle } from './mercator.ts';

const gapBetween = (a: Circle, b: Circle) => Math.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius;
const LONG = 'Kofi & Marek, College Station';

test('in a crowd the whole of a long name lies over no marker', () => {
  const place = { x: 0, y: 0 };
  // Rings above on both sides, where the ends of the name would be.
  const crowd = [
    { x: 0, y: 0, radius: 20 },
    { x: -70, y: -62, radius: 12 },
    { x: 75, y: -64, radius: 12 },
  ];
  const at = calloutAt(place, LONG, crowd);
  const covered = calloutCircles(at);
  const [left, right] = [
    Math.min(...covered.map(({ x, radius }) => x - radius)),
    Math.max(...covered.map(({ x, radius }) => x + radius)),
  ];
  expect(right - left).toBeGreaterThan(24 * 5.8);
  for (const circle of covered)
    for (const ring of crowd) expect(gapBetween(circle, ring)).toBeGreaterThanOrEqual(2);
});

test('a name stands above, beside its disc where above is no room, and above where there is none at all', () => {
  expect(calloutAt({ x: 0, y: 0 }, 'attic', [])).toMatchObject({
    lead: false,
    name: { side: 'above' },
  });
  const above = { x: 0, y: -30, radius: 10 };
  expect(calloutAt({ x: 0, y: 0 }, 'attic', [above])).toMatchObject({
    lead: false,
    name: { side: 'right' },
  });
  const walls = Array.from({ length: 31 }, (_, n) => [
    { x: n * 10 - 150, y: -20, radius: 5 },
    { x: n * 10 - 150, y: 20, radius: 5 },
  ]).flat();
  const beside = [-24, 24].map((x) => ({ x, y: 0, radius: 5 }));
  expect(calloutAt({ x: 0, y: 0 }, 'attic', [...walls, ...beside]).name.side).toBe('above');
});

test('no marker of a few is under the disc', () => {
  const circle = fc.record({
    x: fc.integer({ min: -80, max: 80 }),
    y: fc.integer({ min: -80, max: 80 }),
    radius: fc.integer({ min: 5, max: 15 }),
  });
  fc.assert(
    fc.property(fc.array(circle, { maxLength: 3 }), fc.string(), (taken, label) => {
      const { x, y } = calloutAt({ x: 0, y: 0 }, label, taken);
      for (const other of taken)
        expect(gapBetween({ x, y, radius: CALLOUT }, other)).toBeGreaterThanOrEqual(2 - 1e-9);
    }),
  );
});

test('a long name is cut, more so where nothing else has room, and a wide script takes more room', () => {
  expect(calloutAt({ x: 0, y: 0 }, LONG, []).name.text).toBe('Kofi & Marek, College S…');
  // A corridor that leaves some 100 px, all around.
  const corridor = Array.from({ length: 41 }, (_, n) =>
    [-62, 62].map((x) => ({ x, y: n * 10 - 200, radius: 8 })),
  ).flat();
  expect(calloutAt({ x: 0, y: 0 }, LONG, corridor).name.text).toBe('Kofi & Marek, C…');
  const wide = calloutAt({ x: 0, y: 0 }, '京都の倉庫', []).name.half;
  expect(wide).toBeGreaterThan(calloutAt({ x: 0, y: 0 }, 'attic', []).name.half);
});
