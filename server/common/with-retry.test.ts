import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withRetry } from './with-retry.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const failing = (code: string) => Object.assign(new Error('no'), { code });

/** When a unit of work is tried, ms since the first attempt, and how it ends. Attempts after the last error succeed. */
async function tried(errors: Error[], workMs = 0) {
  const startedAt = performance.now();
  const attempts: number[] = [];
  const ended = withRetry(async () => {
    const error = errors[attempts.push(performance.now() - startedAt) - 1];
    await new Promise((resolve) => setTimeout(resolve, workMs));
    if (error) throw error;
    return 'done';
  }).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { attempts, ended: await ended };
}

const away = failing('ECONNRESET');

test('what fails for a moment is tried three times in all, and is unavailable after that', async () => {
  const conflict = failing('40001');
  expect(await tried([conflict, conflict])).toEqual({ attempts: [0, 50, 300], ended: 'done' });
  expect(await tried([away, away, away])).toMatchObject({
    attempts: [0, 50, 300],
    ended: { code: 'unavailable', retryAfter: 2 },
  });
});

test('no attempt begins that could outlast the request', async () => {
  expect(await tried([away], 1600)).toMatchObject({ attempts: [0, 1650], ended: 'done' });
  expect(await tried([away], 1700)).toMatchObject({
    attempts: [0],
    ended: { code: 'unavailable' },
  });
});

test('what would fail again is tried once', async () => {
  const duplicate = failing('23505');
  expect(await tried([duplicate])).toEqual({ attempts: [0], ended: duplicate });
  expect(await tried([failing('53100')])).toMatchObject({
    attempts: [0],
    ended: { code: 'storage_full' },
  });
});
