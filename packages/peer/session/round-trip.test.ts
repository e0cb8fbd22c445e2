import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundTrip } from './round-trip.ts';

test('is measured as TCP measures it', () => {
  const rtt = new RoundTrip();
  expect(rtt.status).toBeNull();
  rtt.add(80);
  expect(rtt.status).toEqual({ last: 80, min: 80, smoothed: 80, jitter: 40, count: 1 });
  rtt.add(160);
  expect(rtt.status).toEqual({ last: 160, min: 80, smoothed: 90, jitter: 50, count: 2 });
  rtt.add(50);
  expect(rtt.status).toEqual({ last: 50, min: 50, smoothed: 85, jitter: 47.5, count: 3 });
});

test('stays between the shortest and the longest that was measured', () => {
  const durations = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(durations, (measured) => {
      const rtt = new RoundTrip();
      for (const ms of measured) rtt.add(ms);
      const { min, smoothed, jitter } = rtt.status ?? { min: NaN, smoothed: NaN, jitter: NaN };
      const longest = Math.max(...measured);
      expect(min).toBe(Math.min(...measured));
      expect(smoothed).toBeGreaterThanOrEqual(min - 1e-6);
      expect(smoothed).toBeLessThanOrEqual(longest + 1e-6);
      expect(jitter).toBeGreaterThanOrEqual(0);
      expect(jitter).toBeLessThanOrEqual(longest + 1e-6);
    }),
  );
});

test('leaves out what is no duration', () => {
  const rtt = new RoundTrip();
  for (const ms of [NaN, Infinity, -1]) rtt.add(ms);
  expect(rtt.status).toBeNull();
});
