import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAgainWhenBusy } from './ask-again.client.ts';

/** What was asked for. The first two answers to each URL are 503. */
const asked: string[] = [];
const server = createServer(({ url = '', method }, response) => {
  asked.push(`${method} ${url}`);
  const isBusy = asked.filter((one) => one.endsWith(url)).length <= 2;
  response.writeHead(isBusy ? 503 : 200, { 'retry-after': '0' }).end();
});
const { fetch } = globalThis;
let origin = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(globalThis, { window: globalThis });
  askAgainWhenBusy();
});
afterAll(() => {
  Object.assign(globalThis, { fetch });
  Reflect.deleteProperty(globalThis, 'window');
  server.close();
});

test.each([
  ['the data of a page is asked for again', 'GET', '/status.data?_routes=a', 3, 200],
  ['a form is sent once', 'POST', '/register.data', 1, 503],
  ['anything else is asked for once', 'GET', '/api/mesh', 1, 503],
])('while pages are busy, %s', async (_, method, path, times, status) => {
  const response = await globalThis.fetch(`${origin}${path}`, { method });
  expect([asked.filter((one) => one.endsWith(path)).length, response.status]).toEqual([
    times,
    status,
  ]);
});
