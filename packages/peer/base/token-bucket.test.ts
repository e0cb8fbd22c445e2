import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Line, TokenBucket, untilTaken } from './token-bucket.ts';

test('never gives more than the burst and what came back meanwhile', () => {
  const steps = fc.array(
    fc.record({ wait: fc.nat(5000), count: fc.integer({ min: 1, max: 30 }) }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (taken) => {
      let now = 0;
      let given = 0;
      const bucket = new TokenBucket(20, 200, () => now);
      for (const { wait, count } of taken) {
        now += wait;
        if (bucket.take(count)) given += count;
        expect(given).toBeLessThanOrEqual(200 + (20 * now) / 1000 + 1e-6);
      }
    }),
  );
});

test('gives the burst at once, then nothing, and after a second what comes back in a second', () => {
  let now = 0;
  const bucket = new TokenBucket(20, 200, () => now);
  expect(bucket.take(201)).toBe(false);
  expect(bucket.take(200)).toBe(true);
  expect(bucket.take()).toBe(false);
  now = 1000;
  expect(bucket.take(20)).toBe(true);
  expect(bucket.take()).toBe(false);
  now = 1_000_000;
  expect(bucket.take(200)).toBe(true);
  expect(bucket.take()).toBe(false);
});

test('in debt it gives nothing until that has come back, and is full once all has', () => {
  let now = 0;
  const bucket = new TokenBucket(20, 200, () => now);
  expect(bucket.isFull).toBe(true);
  bucket.spend(220);
  now = 1000;
  expect(bucket.has(0)).toBe(true);
  expect(bucket.take()).toBe(false);
  now = 11_000;
  expect(bucket.isFull).toBe(true);
});

test('those who wait in a line are served in turn, whatever they want', async () => {
  const never = new AbortController().signal;
  const bucket = new TokenBucket(200, 10);
  const line = new Line();
  const take = (count: number, signal = never) =>
    line.join(() => untilTaken(() => bucket.take(count), signal));
  expect(bucket.take(10)).toBe(true);
  const served: number[] = [];
  const wait = (count: number) => take(count).then(() => served.push(count));
  await Promise.all([wait(8), wait(1), wait(2), wait(1)]);
  expect(served).toEqual([8, 1, 2, 1]);
  // Who has gone, or fails, holds nobody up.
  const gone = new AbortController();
  gone.abort();
  const failing = line.join(() => Promise.reject(new Error('failed')));
  await Promise.all([
    expect(take(1000, gone.signal)).rejects.toThrow('aborted'),
    expect(failing).rejects.toThrow('failed'),
    wait(1),
  ]);
  expect(served).toHaveLength(5);
});

test('who goes leaves the line at once, while the first still has its turn', async () => {
  const line = new Line();
  let end = () => {};
  const holding = line.join(() => new Promise<void>((resolve) => (end = resolve)));
  const begun: number[] = [];
  const begin = (n: number) => () => Promise.resolve(begun.push(n));
  const gone = new AbortController();
  const leaving = [1, 2, 3].map((n) => line.join(begin(n), gone.signal));
  const staying = line.join(begin(4), new AbortController().signal);
  gone.abort();
  const left = await Promise.allSettled(leaving);
  expect(left.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  end();
  await Promise.all([holding, staying]);
  expect(begun).toEqual([4]);
});
