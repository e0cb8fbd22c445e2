import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PackedBlocks } from '@mesh-registry/peer/sync/block-sync.ts';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { root, truth } from '../../../test/support/network-truth.ts';
import { aSession, aStatus } from '../../../test/support/peer-status.ts';
import { until } from '../../../test/support/until.ts';
import { CommandError } from '../base/exit.ts';
import { startHealthServer } from './health-server.ts';

async function server(address = '127.0.0.1:0', status = aStatus()) {
  const source = {
    status,
    blocks: (from: number): PackedBlocks => {
      const parts = [Buffer.from('blocks '), Buffer.from(`from ${from}`)];
      return { bytes: Buffer.concat(parts).length, parts };
    },
    state: { roots: [root()], truth: truth() as ReturnType<typeof truth> | null },
  };
  const health = await startHealthServer(address, {
    protocol: 1,
    status: () => source.status,
    trust: () => source.state,
    blocks: (from) => source.blocks(from),
  });
  onTestFinished(() => health.close());
  return { ...health, source, port: Number(new URL(health.url).port) };
}

describe('the health server', () => {
  test('answers 200 while the truth holds, 503 when it is stale', async () => {
    const { url, source } = await server(undefined, aStatus({ sessions: [aSession('a')] }));
    const answer = await fetch(`${url}/health`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      ok: true,
      network: 'mesh.example.org',
      protocol: 1,
      truth: 7,
      height: 1041,
      block: source.status.log.id,
      peers: 1,
    });
    source.status = aStatus({ stale: true, truth: null });
    const stale = await fetch(`${url}/health?from=monitor`);
    expect(stale.status).toBe(503);
    expect(await stale.json()).toMatchObject({ ok: false, truth: null });
  });

  test('hands out root and truth as the service does, and the newer ones as soon as they are believed', async () => {
    const { url, source } = await server();
    const read = async () => (await fetch(`${url}/truth`)).json();
    expect(PublishedTruth.parse(await read())).toEqual(source.state);
    source.state = { roots: [root()], truth: truth({ version: 8 }) };
    source.status = aStatus({ truth: { version: 8, issued: '', expires: '', bans: 0 } });
    expect(await read()).toEqual(source.state);
    source.status = aStatus({ truth: null });
    expect((await fetch(`${url}/truth`)).status).toBe(404);
  });

  test('hands out blocks from a height on', async () => {
    const { url } = await server();
    const read = async (query: string) => {
      const answer = await fetch(`${url}/blocks${query}`);
      return [answer.status, answer.status === 200 ? await answer.text() : ''];
    };
    expect(await read('')).toEqual([200, 'blocks from 1']);
    expect(await read('?from=41')).toEqual([200, 'blocks from 41']);
    for (const from of ['0', '-1', '1.5', 'x', '1e9', '', '9'.repeat(16)])
      expect(await read(`?from=${from}`)).toEqual([400, '']);
  });

  test('reads blocks only as fast as a client takes them, and none for HEAD', async () => {
    const { url, port, source } = await server();
    let parts = 0;
    const size = 256 * 1024;
    const read = function* () {
      for (; parts < 1000; parts++) yield Buffer.alloc(size);
    };
    source.blocks = () => ({ bytes: 1000 * size, parts: read() });
    expect((await fetch(`${url}/blocks`, { method: 'HEAD' })).status).toBe(200);
    expect(parts).toBe(0);
    const slow = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void slow.destroy());
    slow.write('GET /blocks HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(slow, 'readable');
    // Others are answered, while nothing more is read for this one than the buffers of the system take.
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(parts).toBeGreaterThan(0);
    expect(parts).toBeLessThan(100);
  });

  test('goes on although the disk cannot be read', async () => {
    const { url, source } = await server();
    source.blocks = () => {
      throw new Error('EIO: i/o error, read');
    };
    const answer = await fetch(`${url}/blocks`);
    expect([answer.status, await answer.json()]).toEqual([
      500,
      expect.objectContaining({ ok: false, code: 'internal' }),
    ]);
    const broken = function* () {
      yield Buffer.from('some');
      throw new Error('EIO: i/o error, read');
    };
    source.blocks = () => ({ bytes: 100, parts: broken() });
    // What is cut off is not taken for the end of the log.
    await expect(fetch(`${url}/blocks`).then((cut) => cut.text())).rejects.toThrow();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test('has metrics, and no address or id of another peer anywhere', async () => {
    const session = aSession('x', { agent: 'their program' });
    const { url } = await server(undefined, aStatus({ sessions: [session] }));
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const all = [await metrics.text()];
    for (const path of ['/health', '/truth', '/']) all.push(await (await fetch(url + path)).text());
    for (const text of all) {
      expect(text).not.toContain(session.peer);
      expect(text).not.toMatch(/\/ip4|their program/);
    }
  });

  test('only lets read: GET and HEAD, nothing else, nowhere else', async () => {
    const { url } = await server();
    const head = await fetch(`${url}/health`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10);
    expect(await head.text()).toBe('');
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${url}/health`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
    for (const path of ['/', '/healthz', '/health/../config', '//health', '/constructor'])
      expect((await fetch(url + path)).status).toBe(404);
  });

  test('takes one request a connection, small headers, and so many connections at a time', async () => {
    const { url, port } = await server();
    const answer = await fetch(`${url}/health`);
    expect(answer.headers.get('connection')).toBe('close');
    const large = await fetch(`${url}/health`, { headers: { padding: 'x'.repeat(5000) } });
    expect(large.status).toBe(431);
    const garbage = connect(port, '127.0.0.1').end('\x16\x03\x01 no HTTP\r\n\r\n');
    garbage.resume();
    await once(garbage, 'close');
    // Whoever holds all connections keeps later ones out for seconds at most, and takes nothing else.
    const held = Array.from({ length: 70 }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => held.forEach((socket) => void socket.destroy()));
    let cut = 0;
    for (const socket of held)
      socket
        .on('error', () => {})
        .on('close', () => cut++)
        .resume();
    await until('the connections over the limit are cut', () => cut >= 6);
    held.forEach((socket) => void socket.destroy());
    await until('others are served again', async () => {
      const again = await fetch(`${url}/health`).catch(() => null);
      return again?.ok === true;
    });
  });

  test('warns if other machines can reach it, and only then', async () => {
    expect((await server()).warning).toBeNull();
    expect((await server('localhost:0')).warning).toBeNull();
    expect((await server('0.0.0.0:0')).warning).toMatch(/can be reached from other machines/);
  });

  test('says which address cannot be used', async () => {
    const { port } = await server();
    for (const address of [`127.0.0.1:${port}`, '192.0.2.1:9901', '127.0.0.1', ':9901', 'x:99999'])
      await expect(server(address)).rejects.toThrow(CommandError);
    await expect(server(`127.0.0.1:${port}`)).rejects.toThrow(
      /EADDRINUSE.*peer\.health or --health/,
    );
  });

  test('ends although somebody holds a connection', async () => {
    const health = await server();
    const held = connect(health.port, '127.0.0.1').on('error', () => {});
    held.resume().write('GET /health HTTP/1.1\r\n');
    // Connections are accepted in order: once this one is answered, the other one is held.
    expect((await fetch(`${health.url}/health`)).ok).toBe(true);
    const cut = once(held, 'close');
    await health.close();
    await cut;
    await expect(fetch(`${health.url}/health`)).rejects.toThrow('fetch failed');
  });
});
