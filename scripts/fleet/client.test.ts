import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../test/support/http-server.ts';
import { freePort } from '../../test/support/port.ts';
import { Client } from './client.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startServer(listener: RequestListener): Promise<string> {
  const { url, stop } = await startHttpServer(listener);
  closers.push(stop);
  return url;
}

function startClient(url: string): Client {
  const client = new Client(url, undefined);
  closers.push(() => client.close());
  return client;
}

describe('the client of the fleet', () => {
  it('repeats a request on a new connection if the server closes an idle one', async () => {
    const used = new Set<Socket>();
    const url = await startServer(({ socket }, response) => {
      if (used.has(socket)) return socket.destroy();
      used.add(socket);
      response.end('{"ok":true}');
    });
    const client = startClient(url);
    for (let sent = 0; sent < 3; sent++)
      expect(await client.post('ping', {})).toMatchObject({ kind: 'accepted' });
    expect(used.size).toBe(3);
  });

  it('reports a connection that is dropped twice as failed, but not as unreachable', async () => {
    let requests = 0;
    const url = await startServer(({ socket }) => {
      requests++;
      socket.destroy();
    });
    const outcome = await startClient(url).post('ping', {});
    expect(outcome).toMatchObject({ kind: 'failed', code: 'ECONNRESET', unreachable: false });
    expect(requests).toBe(2);
  });

  it('recognises an unreachable service', async () => {
    const outcome = await startClient(`http://127.0.0.1:${await freePort()}`).post('ping', {});
    expect(outcome).toMatchObject({ kind: 'failed', code: 'ECONNREFUSED', unreachable: true });
  });

  it('gives up on a service that accepts a request and never answers', async () => {
    const outcome = await startClient(await startServer(() => {})).post('ping', {});
    expect(outcome).toMatchObject({ kind: 'failed', code: 'timeout', unreachable: false });
    expect(outcome.latencyMs).toBeGreaterThan(4_500);
  });

  it('does not read an endless answer', async () => {
    const url = await startServer((_, response) => void response.end(Buffer.alloc(2 ** 21)));
    const outcome = await startClient(url).post('ping', {});
    expect(outcome).toMatchObject({ kind: 'failed', code: 'answer_too_long' });
  });

  it('keeps the path of the base address', async () => {
    const paths: (string | undefined)[] = [];
    const url = await startServer(({ url }, response) => {
      paths.push(url);
      response.end('{"ok":true}');
    });
    for (const base of [url, `${url}/`, `${url}/mesh`, `${url}/mesh/`])
      await startClient(base).post('api/mesh/ping', {});
    expect(paths).toEqual([
      '/api/mesh/ping',
      '/api/mesh/ping',
      '/mesh/api/mesh/ping',
      '/mesh/api/mesh/ping',
    ]);
  });

  it.each([
    ['2', 2_000],
    [() => new Date(Date.now() + 60_000).toUTCString(), 60_000],
    ['0', 0],
    ['soon', 0],
  ])('reads Retry-After %s', async (header, expected) => {
    const value = typeof header === 'string' ? header : header();
    const url = await startServer((_, response) =>
      response.writeHead(503, { 'retry-after': value }).end('{"ok":false,"code":"unavailable"}'),
    );
    const outcome = await startClient(url).post('ping', {});
    if (outcome.kind !== 'rejected') throw new Error(`unexpectedly ${outcome.kind}`);
    expect(outcome.code).toBe('unavailable');
    expect(Math.abs(outcome.retryAfterMs - expected)).toBeLessThanOrEqual(expected && 5_000);
  });
});
