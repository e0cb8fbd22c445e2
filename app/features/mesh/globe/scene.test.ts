import { expect, test } from 'vitest';
import { Pace } from './scene.client.ts';

const paceOf = (gaps: number[]) => {
  const pace = new Pace();
  let now = 0;
  for (const gap of gaps) pace.note((now += gap));
  return pace.slow;
};

test('a device is slow after several late frames, also if only every second frame draws', () => {
  expect(paceOf([50, 50, 50])).toBe(true);
  expect(paceOf([50, 16, 50, 16, 50, 16, 50])).toBe(true);
});

test('a single late frame now and then, or a pause, is no reason', () => {
  expect(paceOf(Array.from({ length: 100 }, (_, n) => (n % 10 === 0 ? 60 : 16)))).toBe(false);
  expect(paceOf(Array<number>(20).fill(1000))).toBe(false);
});
