import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpServer, type HttpServer } from '../../test/support/http-server.ts';
import { withLimit } from './time-limit.ts';

let silent: HttpServer;
let collectGarbage: () => void;

beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc') as () => void;
  // Takes a request, and never answers.
  silent = await startHttpServer(() => undefined);
});
afterAll(() => silent.stop());

const asked = (ms: number, end: AbortSignal) =>
  withLimit(ms, end, (signal) => fetch(silent.url, { signal })).then(
    () => 'answered',
    (error: Error) => error.name,
  );

test('a request that is never answered ends at its limit, though garbage is collected meanwhile', async () => {
  const answer = asked(300, new AbortController().signal);
  for (let n = 0; n < 5; n++) {
    await after(20);
    collectGarbage();
  }
  expect(await answer).toBe('AbortError');
});

test('and before it when everything ends; after that nothing is begun', async () => {
  const end = new AbortController();
  const answer = asked(60_000, end.signal);
  await once(silent.server, 'request');
  end.abort();
  expect(await answer).toBe('AbortError');
  expect(await asked(60_000, end.signal)).toBe('AbortError');
});

test('an answer that came in time counts, though this process was held up and reads it late', async () => {
  const quick = await startHttpServer((_, response) => {
    response.end('here');
    // The answer is on its way; nothing of this process goes on before the limit is over.
    const until = performance.now() + 500;
    while (performance.now() < until);
  });
  const { signal } = new AbortController();
  const answer = await withLimit(300, signal, async (end) =>
    (await fetch(quick.url, { signal: end })).text(),
  );
  expect(answer).toBe('here');
  await quick.stop();
});

test('what is done in time is returned', async () => {
  const { signal } = new AbortController();
  expect(await withLimit(60_000, signal, () => Promise.resolve('done'))).toBe('done');
});
