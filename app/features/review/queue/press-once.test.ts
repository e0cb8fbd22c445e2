import { expect, test } from 'vitest';
import { PRESS_ONCE_MS, pressesAt } from './press-once.ts';

test('the same press within the time is one; a later one, and one after another, are not', () => {
  let now = 1000;
  const presses = pressesAt(() => now);
  expect(presses.again('a')).toBe(false);
  presses.pressed('a');
  now += PRESS_ONCE_MS - 1;
  expect(presses.again('a')).toBe(true);
  expect(presses.again('r')).toBe(false);
  now += PRESS_ONCE_MS;
  expect(presses.again('a')).toBe(false);
  presses.pressed('a');
  presses.pressed('');
  expect(presses.again('a')).toBe(false);
});

test('a key that is held down is one press; a clock that was set back stops nothing', () => {
  let now = 1000;
  const presses = pressesAt(() => now);
  presses.pressed('a');
  for (let held = 0; held < 5; held++) {
    now += PRESS_ONCE_MS - 1;
    expect(presses.again('a')).toBe(true);
  }
  now = 0;
  expect(presses.again('a')).toBe(false);
});
