import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { quickPasswords } from '../../test/support/quick-passwords.ts';
import { createPasswords, createQueue, HASHES_AT_ONCE, HASHES_WAITING } from './passwords.ts';

test('never more than a few hashes run at once; those beyond the queue are refused, with a time to wait', async () => {
  const passwords = createPasswords(quickPasswords);
  const hash = await passwords.hash('correct horse');
  const running = new Set<number>();
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'SCRYPTREQUEST') return;
      most = Math.max(most, running.add(id).size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) =>
      n % 2 ? passwords.verify({ hash, password: 'correct horse' }) : passwords.hash('battery'),
    ),
  );
  hook.disable();
  expect(most).toBe(HASHES_AT_ONCE);
  const served = HASHES_AT_ONCE + HASHES_WAITING;
  expect(results.map(({ status }) => status)).toEqual([
    ...Array<string>(served).fill('fulfilled'),
    ...Array<string>(30 - served).fill('rejected'),
  ]);
  expect(results.at(-1)).toMatchObject({
    reason: { code: 'unavailable', retryAfter: expect.any(Number) },
  });
});

test('what fails makes room too, and the order is kept', async () => {
  const run = createQueue(1, 10);
  const done: number[] = [];
  const work = [0, 1, 2, 3].map((n) =>
    run(async () => {
      await sleep(1);
      done.push(n);
      if (n % 2 === 0) throw new Error('no');
    }).catch(() => undefined),
  );
  await Promise.all(work);
  expect(done).toEqual([0, 1, 2, 3]);
  expect(await run(() => Promise.resolve('free'))).toBe('free');
});
