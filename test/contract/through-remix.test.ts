import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/**
 * In production a resource route is mounted on the HTTP server; `npm run dev` sends the same request
 * through Remix's router. Each endpoint answers the same either way.
 */

const PING = { nodeId: 'node_a', lat: 48.1, lng: 11.6, label: 'garage' };
const ANNOUNCE = {
  nodeId: 'node_a',
  computes: [{ name: 'garage', image: 'alpine:3.20', replicas: 4, freeSlots: 2 }],
};
const START = { action: 'start', name: 'garage', nodeId: 'node_a', kinds: ['node', 'compute'] };

/** The path, the body as JSON, and the method where it is neither GET nor POST. */
const REQUESTS: [string, (object | undefined)?, string?][] = [
  ['/api/mesh/ping', PING],
  ['/api/mesh/ping', { nodeId: 'a b' }],
  ['/api/mesh/ping'],
  ['/api/mesh'],
  ['/api/registry/computes', ANNOUNCE],
  ['/api/registry/computes', { ...ANNOUNCE, computes: [{}] }],
  ['/api/registry/computes?visibility=all'],
  ['/api/registry/computes?available=perhaps'],
  ['/api/registry/register', START],
  ['/api/registry/register', START],
  ['/api/registry/register', { action: 'confirm', id: 'reg_0000000000000000000000' }],
  ['/api/registry/register'],
  ['/api/registry/register?name=garage'],
  ['/api/registry/register?id=reg_0000000000000000000000'],
  ['/api/registry'],
  ['/api/openapi.json'],
  ['/api/nothing'],
  ['/healthz'],
  ['/readyz'],
  ['/api/truth'],
  ['/api/mesh/history'],
  ['/api/mesh/history?node=node_a'],
  ['/api/mesh/history/places'],
  ['/api/mesh/nodes/node_a/key'],
  ['/api/mesh/nodes/node_a/key', { key: 'x' }, 'PUT'],
  ['/api/mesh/nodes/node_a/registrations', {}],
  ['/api/mesh/nodes/node%20a', undefined, 'DELETE'],
  ['/api/mesh/nodes/a%2Fb', undefined, 'DELETE'],
  ['/api/mesh/nodes/node_a', undefined, 'DELETE'],
  ['/api/mesh/nodes/node_a', undefined, 'DELETE'],
  ['/api/mesh'],
];

const clock = new FakeClock();
let mounted: TestServer;
let throughRemix: TestServer;
beforeAll(async () => {
  [mounted, throughRemix] = (await Promise.all(
    [true, false].map((direct) =>
      startTestServer({ direct, clock: clock.read, env: { RATE_LIMITS: 'off' } }),
    ),
  )) as [TestServer, TestServer];
});
afterAll(() => Promise.all([mounted.stop(), throughRemix.stop()]));

/** The response without random values and the server's own address. */
async function ask(server: TestServer, path: string, body?: object, method?: string) {
  const init = method === undefined ? {} : { method };
  const response = await (body ? server.post(path, body, init) : server.get(path, init));
  const { 'x-request-id': id, date: _, etag, ...headers } = Object.fromEntries(response.headers);
  expect(id).toMatch(/^.{16,}$/);
  const text = (await response.text())
    .replaceAll(server.url, '<url>')
    .replaceAll(id ?? '', '<request id>')
    .replace(/reg_[\w-]{22,}/g, '<registration>')
    .replace(/MESH-garage-\w+/g, '<note>');
  const { 'content-length': __, ...rest } = headers;
  return { status: response.status, headers: rest, tagged: etag !== undefined, text };
}

test.each(REQUESTS)('%s answers the same through Remix as mounted: %j %s', async (...request) => {
  expect(await ask(throughRemix, ...request)).toEqual(await ask(mounted, ...request));
});

const BODY = JSON.stringify(PING);
const post = (headers: string[], body: string) =>
  ['POST /api/mesh/ping HTTP/1.1', 'Host: mesh.example', ...headers, '', body].join('\r\n');
const JSON_TYPE = 'Content-Type: application/json';
const LENGTH = `Content-Length: ${BODY.length}`;
const CLOSE = 'Connection: close';

/** Requests that no ordinary client sends, as the parts that arrive one after the other. */
const UNUSUAL: Record<string, string[]> = {
  'a body in two parts': [post([JSON_TYPE, LENGTH, CLOSE], BODY.slice(0, 9)), BODY.slice(9)],
  'a body without a length': [
    post(
      [JSON_TYPE, 'Transfer-Encoding: chunked', CLOSE],
      `${BODY.length.toString(16)}\r\n${BODY}`,
    ),
    '\r\n0\r\n\r\n',
  ],
  'a body that is announced too large': [
    post([JSON_TYPE, 'Content-Length: 90000', CLOSE], 'x'.repeat(90_000)),
  ],
  'two content types': [post([JSON_TYPE, 'Content-Type: text/plain', LENGTH, CLOSE], BODY)],
  'a second request behind a refused body': [
    post([LENGTH], BODY) + post([JSON_TYPE, LENGTH, CLOSE], BODY),
  ],
  'a GET with a body': [
    `GET /api/registry HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n${CLOSE}\r\n\r\nhello`,
  ],
  HEAD: [`HEAD /api/registry HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n\r\n`],
  'a host in capitals': [`GET /api/registry HTTP/1.1\r\nHost: A\r\n${CLOSE}\r\n\r\n`],
  'a host that is none': [`GET /api/registry HTTP/1.1\r\nHost: a b\r\n${CLOSE}\r\n\r\n`],
};

test.each(Object.keys(UNUSUAL))('%s: the same through Remix as mounted', async (title) => {
  const parts = UNUSUAL[title] ?? [];
  const [one, other] = await Promise.all([send(throughRemix, parts), send(mounted, parts)]);
  expect(one).toEqual(other);
  expect(other.join()).toContain('HTTP/1.1 ');
});

/** The lines that are sent back, without random values and in no order. */
async function send(server: TestServer, parts: string[]): Promise<string[]> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  const closed = once(socket, 'close');
  for (const part of parts) {
    socket.write(part);
    await sleep(20);
  }
  await closed;
  return text
    .replace(/^(?:date|x-request-id|etag): .*\r\n/gim, '')
    .replace(/"requestId":"[^"]*"/g, '')
    .replaceAll('HTTP/1.1', '\r\nHTTP/1.1')
    .split('\r\n')
    .map((line) =>
      line.startsWith('{') ? line : line.replace(/^[^:]*:/, (name) => name.toLowerCase()),
    )
    .toSorted();
}
