import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpServer, type HttpServer } from '../../test/support/http-server.ts';
import { withTimeout } from './with-timeout.ts';

let silent: HttpServer;
let collectGarbage: () => void;

beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc') as () => void;
  // Accepts requests and never answers.
  silent = await startHttpServer(() => undefined);
});
afterAll(() => silent.stop());

const asked = (ms: number, end: AbortSignal) =>
  withTimeout(ms, end, (signal) => fetch(silent.url, { signal })).then(
    () => 'answered',
    (error: Error) => error.name,
  );

test('an unanswered request is aborted after its timeout, even if garbage is collected meanwhile', async () => {
  const answer = asked(300, new AbortController().signal);
  for (let n = 0; n < 5; n++) {
    await after(20);
    collectGarbage();
  }
  expect(await answer).toBe('AbortError');
});

test('the end signal aborts it earlier, and nothing starts after that', async () => {
  const end = new AbortController();
  const answer = asked(60_000, end.signal);
  await once(silent.server, 'request');
  end.abort();
  expect(await answer).toBe('AbortError');
  expect(await asked(60_000, end.signal)).toBe('AbortError');
});

test('an answer that arrived in time counts, even if a busy process reads it late', async () => {
  const quick = await startHttpServer((_, response) => {
    response.end('here');
    // Blocks this process until after the timeout, while the answer is on its way.
    const until = performance.now() + 2300;
    while (performance.now() < until);
  });
  const { signal } = new AbortController();
  const answer = await withTimeout(2000, signal, async (end) =>
    (await fetch(quick.url, { signal: end })).text(),
  );
  expect(answer).toBe('here');
  await quick.stop();
});

test('returns the result of work that finishes in time', async () => {
  const { signal } = new AbortController();
  expect(await withTimeout(60_000, signal, () => Promise.resolve('done'))).toBe('done');
});
