import { expect, test } from 'vitest';
import { BUCKETS_MAX, TokenBuckets } from './token-buckets.ts';

const HOUR = 3_600_000;

function buckets(capacity: number) {
  const time = { now: 1_000_000 };
  return { time, buckets: new TokenBuckets(capacity, HOUR, () => time.now) };
}
const takeAll = (from: TokenBuckets, key: string, tries: number) =>
  Array.from({ length: tries }, () => from.take(key, 1)).filter((waitMs) => waitMs === 0).length;

test('as many as the capacity at once, then evenly', () => {
  const { time, buckets: limit } = buckets(2000);
  expect(takeAll(limit, 'a', 5000)).toBe(2000);
  expect(limit.take('a', 1)).toBe(1800);
  expect(takeAll(limit, 'b', 5000)).toBe(2000);
  time.now += 1800;
  expect(takeAll(limit, 'a', 5000)).toBe(1);
  time.now += HOUR / 2;
  expect(takeAll(limit, 'a', 5000)).toBe(1000);
  time.now += 10 * HOUR;
  expect(takeAll(limit, 'a', 5000)).toBe(2000);
});

test('takes all or none, says when there are enough, and takes back what was not used', () => {
  const { time, buckets: limit } = buckets(256);
  expect(limit.take('a', 200)).toBe(0);
  const waitMs = limit.take('a', 100);
  expect(limit.take('a', 56)).toBe(0);
  limit.putBack('a', 56);
  time.now += waitMs;
  expect(limit.take('a', 101)).toBeGreaterThan(0);
  expect(limit.take('a', 100)).toBe(0);
  limit.putBack('a', 100_000);
  expect(takeAll(limit, 'a', 1000)).toBe(256);
});

test('clients that come once do not fill the memory, nor free one that is sending', () => {
  const { buckets: limit } = buckets(20);
  expect(takeAll(limit, 'busy', 20)).toBe(20);
  for (let client = 0; client < 100_000; client++) {
    limit.take(`client ${client}`, 1);
    if (client % 1000 === 0) expect(limit.take('busy', 1)).toBeGreaterThan(0);
  }
  expect(limit.size).toBe(BUCKETS_MAX);
});
