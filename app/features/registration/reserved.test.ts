import { expect, test } from 'vitest';
import { minutesLeft, stageOf } from './reserved.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('what is left is said in minutes, never in seconds', () => {
  expect(minutesLeft(31 * HOUR + 6 * MINUTE + 59_999)).toBe('31 h 6 min');
  expect(minutesLeft(HOUR)).toBe('1 h 0 min');
  expect(minutesLeft(59 * MINUTE)).toBe('59 min');
  expect(minutesLeft(59_999)).toBe('under a minute');
  expect(minutesLeft(-1)).toBe('under a minute');
});

test('the end is near from 2 h on, and again from 10 min on', () => {
  const stage = (holdMs: number, left: number) =>
    stageOf(
      { createdAt: new Date(0).toISOString(), expiresAt: new Date(holdMs).toISOString() },
      holdMs - left,
    );
  expect(stage(48 * HOUR, 2 * HOUR + 1)).toBe('');
  expect(stage(48 * HOUR, 2 * HOUR)).toBe('soon');
  expect(stage(48 * HOUR, 10 * MINUTE + 1)).toBe('soon');
  expect(stage(48 * HOUR, 10 * MINUTE)).toBe('last');
  // Of a short reservation only the last tenth is.
  expect(stage(10 * HOUR, 2 * HOUR)).toBe('');
  expect(stage(10 * HOUR, HOUR)).toBe('soon');
});
