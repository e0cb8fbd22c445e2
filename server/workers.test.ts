import { expect, test } from 'vitest';
import { ForkPauses } from './workers.ts';

test('workers that end soon after their start are replaced after ever longer pauses', () => {
  const pauses = new ForkPauses();
  expect(pauses.after(3_600_000)).toBe(0);
  expect([1, 2, 3, 4].map(() => pauses.after(100))).toEqual([500, 1000, 2000, 4000]);
  for (let n = 0; n < 100; n++) expect(pauses.after(100)).toBeLessThanOrEqual(30_000);
  expect(pauses.after(60_000)).toBe(0);
  expect(pauses.after(100)).toBe(500);
});
