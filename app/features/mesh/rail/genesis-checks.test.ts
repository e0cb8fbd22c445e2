import { expect, test } from 'vitest';
import { CHECKS, withCheck } from './genesis-checks.ts';

test('a check that failed is a gap, though the latency of the last that did not is known', () => {
  expect(withCheck([41], { status: 'online', latencyMs: 42 })).toEqual([41, 42]);
  expect(withCheck([41, 42], { status: 'offline', latencyMs: 42 })).toEqual([41, 42, null]);
});

test('the oldest of sixty checks makes way for a new one', () => {
  const checks = Array.from({ length: CHECKS }, (_, n) => n);
  expect(withCheck(checks, { status: 'online', latencyMs: 60 })).toEqual([
    ...checks.slice(1),
    CHECKS,
  ]);
});
