import { expect, test } from 'vitest';
import { SigningClock } from './signing-clock.ts';

test('the clock of signatures never goes back by less than four minutes, and follows a larger step', () => {
  let machine = 1_000_000;
  const clock = new SigningClock(() => machine);
  expect(clock.now()).toBe(1_000_000);
  machine -= 200_000;
  expect(clock.now()).toBe(1_000_000);
  machine += 200_001;
  expect(clock.now()).toBe(1_000_001);
  machine -= 240_001;
  expect(clock.now()).toBe(760_000);
});
