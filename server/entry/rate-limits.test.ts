import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#server/common/errors.schema.ts';
import { parseConfig } from '#server/config.ts';
import { BUCKETS_MAX } from '#server/common/token-buckets.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';

/** The limits of production, as docs/http-api.md states them. Over HTTP, fewer are tested in test/contract and test/review. */

// No time passes but what a test lets pass.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

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

test('of one client: 60 wrong credentials a minute, 120 registrations in ten, 300 look-ups at once and 20 a second', async () => {
  const { countWrongCredential, countLookup, countRegistration } = limits();
  expect(await letThrough(() => countWrongCredential('client'))).toEqual([60, 60]);
  expect(await letThrough(() => countLookup('client'))).toEqual([300, 1]);
  vi.advanceTimersByTime(1000);
  expect(await letThrough(() => countLookup('client'))).toEqual([20, 1]);
  vi.advanceTimersByTime(60_000);
  expect(await letThrough(() => countLookup('client'))).toEqual([300, 1]);
  expect(await letThrough(() => countRegistration('client'))).toEqual([120, 600]);
});

test('a read that looks through many rows counts as several look-ups: of one client, 1.5 s of a core at once', async () => {
  const scan = (what: Parameters<RateLimits['countScan']>[1], rows: number) => {
    const { countScan } = limits();
    return letThrough(() => countScan('client', what, rows));
  };
  expect(await scan('nodes', 500)).toEqual([300, 1]);
  expect(await scan('nodes', 100_000)).toEqual([33, 1]);
  expect(await scan('nodesInOrder', 100_000)).toEqual([5, 1]);
  expect(await scan('places', 100_000)).toEqual([8, 1]);
  expect(await scan('nodesAt', 100_000)).toEqual([150, 1]);
  expect(await scan('offers', 41_000)).toEqual([14, 1]);
  expect(await scan('downloads', 41_000)).toEqual([5, 3]);
  expect(await scan('downloads', 2900)).toEqual([60, 1]);
  expect(await scan('names', 20_000)).toEqual([21, 1]);
  expect(await scan('texts', 161_000)).toEqual([100, 1]);
  // What costs more than all look-ups at once is let through, and paid off later.
  expect(await scan('names', 1_500_000)).toEqual([1, 51]);
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
  for (let n = 0; n < 120; n++) counting.countRegistration('the busy one');
  for (let n = 0; n < 3 * BUCKETS_MAX; n++) {
    counting.countRegistration(`client ${n}`);
    if (n % 1000 === 0)
      expect(() => counting.countRegistration('the busy one')).toThrow('Too many');
  }
  expect(counting.counted).toBe(BUCKETS_MAX);
});

test('made-up addresses whose passwords could not be checked push out no count of another', async () => {
  const { password } = limits();
  const attempt = (client: string, email: string, check: () => Promise<unknown>) =>
    password({ client, email, browser: null }, check);
  const byMany = () => letThrough((n) => attempt(`${n}`, 'bob@example.org', wrong));
  expect((await byMany())[0]).toBe(100);
  const busy = () => Promise.reject(new AppError('unavailable', 'Later.'));
  for (let n = 0; n <= BUCKETS_MAX; n++)
    await attempt('busy', `${n}@example.org`, busy).catch(() => undefined);
  expect((await byMany())[0]).toBe(0);
});
