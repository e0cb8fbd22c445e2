import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { eventually } from './contract.ts';

/** What clients that hang up, or write HTTP by hand, get and leave behind. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { PUBLIC_URL: 'http://mesh.example:8080' } });
});
afterAll(() => server.stop());

/** Sends bytes as they are, on a connection of their own. */
async function send(bytes: string): Promise<Socket> {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** All that the server answers to these bytes, until it closes the connection. */
async function answer(bytes: string): Promise<string> {
  const socket = await send(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const counted = async (status: number) =>
  [
    ...(await (await server.get('/metrics')).text()).matchAll(
      new RegExp(`^mesh_http_requests_total\\{.*status="${status}"\\} (\\d+)$`, 'gm'),
    ),
  ].reduce((sum, [, count]) => sum + Number(count), 0);

describe('a body that is cut off midway', () => {
  const JSON_TYPE = 'Content-Type: application/json\r\n';
  const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n';
  const REQUESTS = [
    ['POST /api/mesh/ping', JSON_TYPE],
    ['POST /api/registry/computes', JSON_TYPE],
    ['POST /api/registry/register', JSON_TYPE],
    ['POST /api/mesh/nodes/node_a/registrations', JSON_TYPE],
    ['PUT /api/mesh/nodes/node_a/key', JSON_TYPE],
    ['POST /api/trpc/registration.start', JSON_TYPE],
    ['POST /register', FORM],
    ['POST /review/sign-in', FORM],
  ] as const;

  test('is no error of ours: it is counted as 499, and logged at debug', async () => {
    const before = server.log().length;
    let sent = 0;
    for (const [target, headers] of REQUESTS)
      for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
        const socket = await send(
          `${target} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${headers}${length}\r\n\r\n`,
        );
        // The server says that it has read the head.
        await once(socket, 'data');
        socket.write('3\r\n{"a');
        socket.destroy();
        sent++;
      }
    await eventually(() => counted(499), sent);
    expect(await counted(500)).toBe(0);
    const lines = server
      .log()
      .slice(before)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number });
    expect(lines.filter(({ level }) => level > 20)).toEqual([]);
    const text = await (await server.get('/metrics')).text();
    // How long it took was up to the client.
    expect(text).toMatch(/mesh_http_request_seconds_count\{route="\/metrics"\}/);
    expect(text).not.toMatch(/mesh_http_request_seconds_count\{route="\/api\/mesh\/ping"\}/);
  });
});

describe('the Host of a request', () => {
  test.each(['a:99999', '[', 'a b', '999.1.1.1', 'a/b', 'a:b', '%', 'a@b'])(
    '%j is refused with 400, at every way in',
    async (host) => {
      const errors = await counted(500);
      for (const path of ['/api/mesh', '/api/mesh/nodes/a', '/', '/healthz']) {
        const text = await answer(
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        );
        expect(text).toMatch(/^HTTP\/1\.1 400 /);
        const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as object;
        expect(body).toMatchObject({ ok: false, code: 'invalid_request' });
      }
      expect(await counted(500)).toBe(errors);
    },
  );

  test('HTTP/1.0 needs none', async () => {
    expect(await answer('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    const body = '{"nodeId":"old_node","lat":1,"lng":2}';
    const ping = await answer(
      `POST /api/mesh/ping HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(ping).toMatch(/^HTTP\/1\.1 201 /);
    expect(ping).toContain('"old_node"');
    expect(await answer('GET /docs HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('HTTP/1.1 needs one', async () => {
    expect(await answer('GET /healthz HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('an answer above 64 KiB', () => {
  let small: TestServer;
  beforeAll(async () => {
    small = await startTestServer({
      env: { COMPUTE_LISTING: 'announced' },
      limits: { lookup: { points: 2, seconds: 1200 } },
    });
    for (const nodeId of ['node_a', 'node_b'])
      await small.post('/api/registry/computes', {
        nodeId,
        computes: Array.from({ length: 256 }, (_, n) => ({
          name: `offer-number-${n}`,
          replicas: 1,
          freeSlots: 1,
        })),
      });
  });
  afterAll(() => small.stop());

  test('counts as a look-up of its reader; one that is unchanged, compressed to less, or asked for by HEAD does not', async () => {
    const path = '/api/registry/computes';
    const plain = (headers = {}, from = path) =>
      small.get(from, { headers: { 'accept-encoding': 'identity', ...headers } });
    const first = await plain();
    expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(64 * 1024);
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    for (let n = 0; n < 5; n++) {
      expect((await plain(known)).status).toBe(304);
      expect((await small.get(path)).status).toBe(200);
      const head = { method: 'HEAD', headers: { 'accept-encoding': 'identity' } };
      expect((await small.get(path, head)).status).toBe(200);
    }
    expect((await plain()).status).toBe(200);
    const refused = await plain();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const typed = await plain({}, `/api/trpc/computes.list?input=${encodeURIComponent('{}')}`);
    expect(typed.status).toBe(429);
    expect(await typed.json()).toMatchObject({ error: { data: { code: 'rate_limited' } } });
    for (const from of ['/computes.csv', '/computes'])
      expect((await plain({}, from)).status).toBe(429);
    expect((await small.get('/computes')).status).toBe(200);
    // Heartbeats go on.
    const ping = await small.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2 });
    expect(ping.ok).toBe(true);
  });
});
