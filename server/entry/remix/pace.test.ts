import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('a client gets some at once and then one each millisecond, whatever others ask for', () => {
  const pace = new Pace(3);
  const waits = (client: string, times: number, now: number) =>
    Array.from({ length: times }, () => pace.wait(client, now));
  expect(waits('a', 6, 1000)).toEqual([0, 0, 0, 1, 2, 3]);
  expect(waits('b', 1, 1000)).toEqual([0]);
  // Six milliseconds later nothing is due any more.
  expect(waits('a', 2, 1006)).toEqual([0, 0]);
  // Half of the pace: never a wait.
  for (let now = 2000; now < 2100; now += 2) expect(pace.wait('a', now)).toBe(0);
});
