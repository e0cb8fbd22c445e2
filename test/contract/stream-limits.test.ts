import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { eventually } from './contract.ts';

/** Opens an event stream; resolves with its response once it has a head. */
async function open(server: TestServer, path = 'mesh.changes') {
  const connection = new AbortController();
  const response = await server.get(`/api/trpc/${path}`, { signal: connection.signal });
  return { response, close: () => connection.abort() };
}

describe('limits of event streams', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { STREAMS_PER_CLIENT: '2', MAX_STREAMS: '3', TRUST_PROXY: '1' },
    });
  });
  afterAll(() => server.stop());

  const openFrom = async (address: string) => {
    const connection = new AbortController();
    const response = await server.get('/api/trpc/computes.changes', {
      signal: connection.signal,
      headers: { 'x-forwarded-for': address },
    });
    return { response, close: () => connection.abort() };
  };

  test('a client gets 429 for one too many, as every error of the typed API, and another when one has ended', async () => {
    const first = await open(server);
    const second = await open(server, 'computes.changes');
    expect([first.response.status, second.response.status]).toEqual([200, 200]);
    const { response } = await open(server);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const { error } = (await response.json()) as { error: { data: object; message: string } };
    expect(error.data).toMatchObject({ code: 'rate_limited', httpStatus: 429 });
    expect(error.message).toContain('2 event streams');
    first.close();
    await eventually(async () => {
      const again = await open(server);
      again.close();
      return again.response.status;
    }, 200);
    second.close();
  });

  const count = async () =>
    /^mesh_event_streams (\d+)$/m.exec(await (await server.get('/metrics')).text())?.[1];

  test('all clients together have a limit too, and /metrics tells how many streams are open', async () => {
    await eventually(count, '0');
    const streams = await Promise.all(
      ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map((address) => openFrom(address)),
    );
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200]);
    expect(await count()).toBe('3');
    expect((await openFrom('203.0.113.4')).response.status).toBe(429);
    for (const { close } of streams) close();
    await eventually(count, '0');
  });

  test('a second stream behind one that never ends is refused, and nothing of either stays', async () => {
    await eventually(count, '0');
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    const ask = (path: string) => `GET /api/trpc/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(ask('mesh.changes') + ask('computes.changes') + ask('mesh.changes'));
    await eventually(() => received.includes('"type":"snapshot"'), true);
    await eventually(() => server.log().split('"code":"invalid_state"').length - 1, 2);
    expect(await count()).toBe('1');
    socket.destroy();
    await once(socket, 'close');
    await eventually(count, '0');
    const next = await open(server);
    expect(next.response.status).toBe(200);
    next.close();
  });

  test.each([
    'mesh%2Echanges',
    'mesh.changes/',
    'mesh.changes?batch=0',
    '%6Desh.changes?input=null',
  ])('a stream counts however it is spelled: %s', async (path) => {
    await eventually(count, '0');
    const { response, close } = await open(server, path);
    expect([response.status, await count()]).toEqual([200, '1']);
    close();
    await eventually(count, '0');
  });

  test('a wrong input is described, and takes no stream', async () => {
    const input = encodeURIComponent(JSON.stringify({ lastEventId: 7 }));
    const response = await server.get(`/api/trpc/mesh.changes?input=${input}`);
    expect(await response.text()).toContain('invalid_body');
  });
});
