import { expect, test } from 'vitest';
import { AppError } from '#server/common/errors.schema.ts';
import { parseConfig } from '#server/config.ts';
import { COUNTED_MAX, createRateLimits, type RateLimits } from './rate-limits.ts';

/** The limits of production, as docs/http-api.md states them. Over HTTP, fewer are tested in test/contract and test/review. */

const limits = (isKnownNode = (_: string) => true) =>
  createRateLimits(parseConfig({}), isKnownNode);

/** How many `send` lets through before it refuses, and for how many seconds it then asks to wait. */
async function letThrough(send: (n: number) => unknown): Promise<[number, number]> {
  for (let n = 0; n < 5000; n++)
    try {
      await send(n);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'rate_limited') return [n, error.retryAfter ?? 0];
    }
  throw new Error('nothing was refused');
}
const wrong = () => Promise.reject(new AppError('unauthorized', 'Wrong.'));

test('heartbeats and announcements of one node: 600 a minute each', async () => {
  const { countPing, countAnnounce } = limits();
  expect(await letThrough(() => countPing({ nodeId: 'node_a' }))).toEqual([600, 60]);
  expect(await letThrough(() => countAnnounce({ nodeId: 'node_a' }))).toEqual([600, 60]);
});

test('of one client: 60 wrong credentials and 1,200 look-ups a minute, 120 registrations in ten', async () => {
  const { countWrongCredential, countLookup, countRegistration } = limits();
  expect(await letThrough(() => countWrongCredential('client'))).toEqual([60, 60]);
  expect(await letThrough(() => countLookup('client'))).toEqual([1200, 60]);
  expect(await letThrough(() => countRegistration('client'))).toEqual([120, 600]);
});

test('a read that looks through many rows counts as several look-ups: of one client, 6 s of a core in a minute', async () => {
  const scan = (what: Parameters<RateLimits['countScan']>[1], rows: number) => {
    const { countScan } = limits();
    return letThrough(() => countScan('client', what, rows));
  };
  expect(await scan('nodes', 500)).toEqual([1200, 60]);
  expect(await scan('nodes', 100_000)).toEqual([133, 60]);
  expect(await scan('places', 100_000)).toEqual([35, 60]);
  expect(await scan('nodesAt', 100_000)).toEqual([600, 60]);
  expect(await scan('offers', 41_000)).toEqual([57, 60]);
  expect(await scan('names', 20_000)).toEqual([85, 60]);
  expect(await scan('texts', 161_000)).toEqual([400, 60]);
  // One that costs more than a minute's look-ups is let through once.
  expect(await scan('names', 100_000_000)).toEqual([1, 60]);
});

test('event streams opened by one client: 600 a minute', async () => {
  const { openStream } = limits();
  expect(await letThrough(() => openStream('client', {})())).toEqual([600, 60]);
});

test('wrong passwords in 15 minutes: 20 of one client, 15 of it for one address, 100 for one address', async () => {
  const { password } = limits();
  const attempt = (client: string, email: string, browser: string | null = null) =>
    password({ client, email, browser }, wrong);
  expect(await letThrough((n) => attempt('one', `${n}@example.org`))).toEqual([20, 900]);
  expect(await letThrough(() => attempt('two', 'ada@example.org'))).toEqual([15, 900]);
  expect(await letThrough((n) => attempt(`${n}`, 'bob@example.org'))).toEqual([100, 900]);
  // A browser that has signed in to the account counts on its own.
  const known = (n: number) => attempt(`${n} too`, 'bob@example.org', 'browser');
  expect(await letThrough(known)).toEqual([100, 900]);
});

test('wrong second-factor codes of one client: 20 in 15 minutes', async () => {
  const { code } = limits();
  expect(await letThrough(() => code('client', wrong))).toEqual([20, 900]);
});

test('500 nodes behind one address that send a heartbeat every 20 seconds reach no limit', async () => {
  const { countPing, newNodes } = limits();
  const created: number[] = [];
  const add = newNodes(() => 'client');
  for (let node = 0; node < 500; node++)
    for (let time = 0; time < 3; time++) {
      countPing({ nodeId: `node_${node}` });
      if (time === 0) created.push(await add(1, () => Promise.resolve(1), Number));
    }
  expect(created).toHaveLength(500);
});

test('ids of 100,000 nodes that do not exist leave no count; a known node counts', () => {
  const counting = limits((nodeId) => nodeId === 'known');
  for (let n = 0; n < 100_000; n++) {
    counting.countPing({ nodeId: `made_up_${n}` });
    counting.countAnnounce({ nodeId: `made_up_${n}` });
  }
  expect(counting.counted).toBe(0);
  counting.countPing({ nodeId: 'known' });
  expect(counting.counted).toBe(1);
});

test('a limit counts so many clients, and forgets first the one that was counted longest ago', () => {
  const counting = limits();
  for (let n = 0; n < 1200; n++) counting.countLookup('the busy one');
  for (let n = 0; n < 3 * COUNTED_MAX; n++) {
    counting.countLookup(`client ${n}`);
    if (n % 1000 === 0) expect(() => counting.countLookup('the busy one')).toThrow('Too many');
  }
  expect(counting.counted).toBe(COUNTED_MAX);
});
