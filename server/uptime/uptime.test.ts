import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeBits } from './node.ts';
import {
  DAY_MS,
  dayOf,
  daysBetween,
  dayText,
  numberInDay,
  QUARTER_MS,
  quarterOf,
  stepsOf,
} from './quarters.ts';
import { coveredMs } from './service-periods.ts';

const START = Date.parse('2026-07-17T00:00:00.000Z');
const quarter = fc.integer({ min: 0, max: 96 * 8 - 1 }).map((n) => START + n * QUARTER_MS);

/** As the database does it. */
function setBit(bits: Uint8Array, n: number): void {
  bits[n >> 3] = (bits[n >> 3] ?? 0) | (1 << (n & 7));
}

test('a node was heard of in exactly the quarters whose bits are set', () => {
  fc.assert(
    fc.property(fc.uniqueArray(quarter), (quarters) => {
      const rows = new Map<string, Uint8Array>();
      for (const at of quarters) {
        const day = dayText(at);
        const bits = rows.get(day) ?? new Uint8Array(12);
        setBit(bits, numberInDay(at));
        rows.set(day, bits);
      }
      const days = daysBetween(START, START + 8 * DAY_MS - 1);
      const node = new NodeBits(
        START,
        days.length,
        [...rows].map(([day, bits]) => ({ day, bits })),
      );
      const heard: number[] = [];
      for (let at = START - DAY_MS; at < START + 9 * DAY_MS; at += QUARTER_MS)
        if (node.heard(at)) heard.push(at);
      expect(heard).toEqual([...quarters].sort((a, b) => a - b));
    }),
  );
});

test('a moment is in its quarter, and the quarter in its day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (moment) => {
      const start = quarterOf(moment);
      expect(moment - start).toBeLessThan(QUARTER_MS);
      expect(moment - start).toBeGreaterThanOrEqual(0);
      expect(dayOf(moment) + numberInDay(start) * QUARTER_MS).toBe(start);
      expect(Date.parse(dayText(moment))).toBe(dayOf(moment));
    }),
  );
});

test('covered time is that of the union of all periods', () => {
  const second = fc.integer({ min: -20, max: 120 });
  fc.assert(
    fc.property(fc.array(fc.tuple(second, second)), (pairs) => {
      const periods = pairs.map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
      let covered = 0;
      for (let at = 0; at < 100; at++)
        if (periods.some(([since, until]) => since <= at && until >= at + 1)) covered++;
      expect(coveredMs(periods, 0, 100)).toBe(covered);
    }),
  );
});

test('a month that ends at midnight has all its days', () => {
  for (const days of [30, 90] as const) {
    const { steps } = stepsOf(days, START, 0);
    expect([steps.length, steps.at(-1)]).toEqual([days, START - DAY_MS]);
  }
});

test('steps have no gaps, end with the last quarter, and begin no earlier than history', () => {
  const days = fc.constantFrom(1 as const, 7 as const, 30 as const, 90 as const);
  fc.assert(
    fc.property(days, quarter, fc.integer({ min: 0, max: 200 * 96 }), (days, end, ago) => {
      const first = end - ago * QUARTER_MS;
      const { stepMs, from, steps } = stepsOf(days, end, first);
      expect(steps.length).toBeLessThanOrEqual((days * DAY_MS) / stepMs);
      steps.forEach((at, n) => expect(at).toBe(from + n * stepMs));
      expect(from).toBeLessThanOrEqual(end);
      expect(from + stepMs).toBeGreaterThan(Math.min(first, end - 1));
      if (steps.length > 0) expect((steps.at(-1) ?? 0) + stepMs).toBeGreaterThanOrEqual(end);
    }),
  );
});
