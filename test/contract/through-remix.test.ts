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

const REQUESTS: [string, object?][] = [
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
async function ask(server: TestServer, path: string, body?: object) {
  const response = await (body ? server.post(path, body) : server.get(path));
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

test.each(REQUESTS)('%s answers the same through Remix as mounted: %j', async (path, body) => {
  expect(await ask(throughRemix, path, body)).toEqual(await ask(mounted, path, body));
});
