import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  areaPath,
  depthOf,
  lastKnown,
  linePath,
  runsOf,
  scaleOf,
  spreadLabels,
} from './chart-scale.ts';

const values = fc.array(fc.option(fc.nat(1_000_000), { nil: null }), { maxLength: 400 });

test('runs hold every known value at its place, and never a gap', () =>
  fc.assert(
    fc.property(values, (line) => {
      const back: (number | null)[] = line.map(() => null);
      const runs = runsOf(line);
      for (const { from, values } of runs) values.forEach((value, n) => (back[from + n] = value));
      expect(back).toEqual(line);
      runs.slice(1).forEach(({ from }) => expect(line[from - 1]).toBeNull());
    }),
  ));

test('an axis holds every value, begins at zero or says where, and has round ticks', () =>
  fc.assert(
    fc.property(fc.array(values, { maxLength: 4 }), fc.boolean(), (lines, fromZero) => {
      const scale = scaleOf(lines, fromZero);
      for (const value of lines.flat())
        if (value !== null) {
          expect(depthOf(value, scale)).toBeGreaterThanOrEqual(0);
          expect(depthOf(value, scale)).toBeLessThanOrEqual(1);
        }
      if (fromZero) expect(scale.from).toBe(0);
      expect(scale.ticks[0]).toBe(scale.from);
      expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
      expect(scale.ticks.length).toBeLessThanOrEqual(6);
      expect(scale.ticks.every((tick) => Number.isInteger(tick) && tick <= scale.to)).toBe(true);
    }),
  ));

test('a network that grew from 528 to 612 has an axis from 500 up, unless it must begin at zero', () => {
  const grown = [[528, 560, 612]];
  expect(scaleOf(grown, false)).toMatchObject({ from: 500, ticks: [500, 550, 600] });
  expect(scaleOf(grown, true)).toMatchObject({ from: 0, ticks: [0, 200, 400, 600] });
  // A line that hasn't moved is drawn where it is.
  expect(scaleOf([[7, 7]], false).from).toBe(0);
  expect(scaleOf([[]], false)).toMatchObject({ from: 0, ticks: [0, 1] });
});

test('lines and areas end at a gap and begin after it', () => {
  const scale = { from: 0, to: 10, ticks: [0, 10] };
  expect(linePath([0, 10, null, 5], scale, 100)).toBe('M0 100L1 0M3 50h0');
  expect(areaPath([0, 10, null, 5], scale, 100)).toBe('M0 100L0 100L1 0L1 100Z');
  expect(linePath([null], scale, 100)).toBe('');
});

test('the last known value is the one before a gap at the end', () => {
  expect(lastKnown([1, 2, null])).toEqual({ at: 1, value: 2 });
  expect(lastKnown([null])).toBeNull();
});

test('labels keep their order, their distance and the chart', () =>
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }),
      (depths) => {
        const placed = spreadLabels(depths, 0.1);
        const order = depths.map((_, n) => n).sort((a, b) => depths[a]! - depths[b]!);
        order.slice(1).forEach((n, rank) => {
          expect(placed[n]! - placed[order[rank]!]!).toBeGreaterThanOrEqual(0.1 - 1e-9);
        });
        expect(Math.max(...placed)).toBeLessThanOrEqual(1);
        expect(Math.min(...placed)).toBeGreaterThanOrEqual(0);
      },
    ),
  ));
