import { expect, test } from 'vitest';
import { Pace } from './scene.client.ts';

const paceOf = (frames: number[]) => {
  const pace = new Pace();
  for (const ms of frames) pace.note(ms);
  return pace.slow;
};

test('a device is slow after several late frames, also if one in between is in time', () => {
  expect(paceOf([50, 50, 50])).toBe(true);
  expect(paceOf([50, 16, 50, 16, 50, 16, 50])).toBe(true);
});

test('a single late frame now and then is no reason', () => {
  expect(paceOf(Array.from({ length: 100 }, (_, n) => (n % 10 === 0 ? 60 : 16)))).toBe(false);
});
