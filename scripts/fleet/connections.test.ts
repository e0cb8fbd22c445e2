import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer } from '../../test/support/http-server.ts';
import { freePort } from '../../test/support/port.ts';
import { MeshRegistry } from '@mesh-registry/client/index.ts';
import {
  codeOf,
  isNothingThere,
  isUnanswered,
  openConnections,
  sendOverIdle,
} from './connections.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startServer(listener: RequestListener): Promise<string> {
  const { url, stop } = await startHttpServer(listener);
  closers.push(stop);
  return url;
}

function startClient(url: string) {
  const { fetch, close } = openConnections(url);
  closers.push(close);
  const client = new MeshRegistry({ url, retries: 0, fetch });
  return () => sendOverIdle(() => client.ping({ nodeId: 'node_a', lat: 1, lng: 2 }));
}

/** The problem of one heartbeat. */
async function problemOf(url: string) {
  const result = await startClient(url)();
  if (result.ok) throw new Error('unexpectedly accepted');
  const { problem } = result;
  return {
    problem,
    code: codeOf(problem),
    unanswered: isUnanswered(problem),
    nothingThere: isNothingThere(problem),
  };
}

describe('the connections of the fleet', () => {
  it('repeat a request on a new connection if the server closes an idle one', async () => {
    const used = new Set<Socket>();
    const url = await startServer(({ socket }, response) => {
      if (used.has(socket)) return socket.destroy();
      used.add(socket);
      response.end('{"ok":true}');
    });
    const send = startClient(url);
    for (let sent = 0; sent < 3; sent++) expect(await send()).toMatchObject({ ok: true });
    expect(used.size).toBe(3);
  });

  it('tell a connection that is dropped twice from a service that is gone', async () => {
    let requests = 0;
    const url = await startServer(({ socket }) => {
      requests++;
      socket.destroy();
    });
    expect(await problemOf(url)).toMatchObject({
      code: 'ECONNRESET',
      unanswered: true,
      nothingThere: false,
    });
    expect(requests).toBe(2);
    expect(await problemOf(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      code: 'ECONNREFUSED',
      unanswered: true,
      nothingThere: true,
    });
  });

  it('give up on a service that accepts a request and never answers', async () => {
    expect(await problemOf(await startServer(() => {}))).toMatchObject({
      code: 'timeout',
      unanswered: true,
      nothingThere: false,
    });
  });

  it('do not read an endless answer', async () => {
    const url = await startServer((_, response) => void response.end(Buffer.alloc(2 ** 21)));
    expect(await problemOf(url)).toMatchObject({ code: 'answer_too_long', unanswered: true });
  });

  it('keep the path of the base address', async () => {
    const paths: (string | undefined)[] = [];
    const url = await startServer(({ url }, response) => {
      paths.push(url);
      response.end('{"ok":true}');
    });
    for (const base of [url, `${url}/mesh/`]) await startClient(base)();
    expect(paths).toEqual(['/api/mesh/ping', '/mesh/api/mesh/ping']);
  });

  it('bring headers and body of an answer to the typed client', async () => {
    const url = await startServer((_, response) =>
      response
        .writeHead(503, { 'Retry-After': '2' })
        .end('{"ok":false,"code":"unavailable","error":"Away."}'),
    );
    expect(await problemOf(url)).toMatchObject({
      code: 'unavailable',
      unanswered: false,
      problem: { status: 503, message: 'Away.', retryAfterMs: 2000 },
    });
  });
});
