import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { changesOf } from '../support/changes.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startHttpServer } from '../support/http-server.ts';
import { startTestServer } from '../support/server.ts';
import { eventually, getJson, type Json } from './contract.ts';

/** Checks in quick succession, each as long as the test lets it hang. */
const CHECK = { intervalMs: 200, timeoutMs: 60_000 };

/** A bootstrap peer that holds each request until the test answers it. */
async function bootstrapPeer() {
  const held: ServerResponse[] = [];
  const paths: string[] = [];
  const { url, port, stop } = await startHttpServer((request, response) => {
    paths.push(request.url ?? '');
    held.push(response);
    response.on('close', () => held.splice(held.indexOf(response), 1));
  });
  return {
    url,
    port,
    stop,
    paths,
    /** The current check, or the next one. */
    async check(): Promise<ServerResponse> {
      await eventually(() => held.length > 0, true);
      return held[0] as ServerResponse;
    },
  };
}

describe('Genesis', () => {
  test('in a new state is sent to event streams, although no node has changed', async () => {
    const peer = await bootstrapPeer();
    const server = await startTestServer({
      genesisCheck: CHECK,
      env: { GENESIS_HEALTH_URL: peer.url },
    });
    const leave = new AbortController();
    try {
      (await peer.check()).writeHead(200).end();
      const genesis = async () => (await getJson(server, '/api/mesh')).genesis.status as string;
      await eventually(genesis, 'online');
      const changes = changesOf(server.services.mesh.changes(undefined, leave.signal));
      expect((await changes.next()).value).toMatchObject({
        type: 'snapshot',
        head: { genesis: { status: 'online' } },
      });
      const next = changes.next();
      (await peer.check()).writeHead(503).end();
      expect((await next).value).toMatchObject({
        type: 'changes',
        rows: [],
        head: { genesis: { status: 'offline' } },
      });
    } finally {
      leave.abort();
      await server.stop();
      await peer.stop();
    }
  });

  test('is unknown until the first check ends, then shows the result of the last', async () => {
    const peer = await bootstrapPeer();
    // It stands still: what the API shows follows the checks, not the time.
    const clock = new FakeClock();
    const server = await startTestServer({
      clock: clock.read,
      genesisCheck: CHECK,
      env: {
        GENESIS_HEALTH_URL: `${peer.url}/health-secret-path?token=secret`,
        RATE_LIMITS: 'off',
      },
    });
    try {
      const seen: string[] = [];
      const genesis = async (): Promise<Json> => {
        const text = await (await server.get('/api/mesh')).text();
        seen.push(text);
        return JSON.parse(text).genesis;
      };
      const becomes = (status: string) =>
        eventually(async () => (await genesis()).status as string, status);

      // The check hangs, and no request waits for it.
      const check = await peer.check();
      const first = await genesis();
      expect(first).toMatchObject({
        status: 'unknown',
        lastSeen: null,
        checkedAt: null,
        latencyMs: null,
      });

      // An endless body: its headers are enough.
      const closed = once(check, 'close');
      check.writeHead(200);
      const flow = setInterval(() => check.write('x'.repeat(10_000)), 5);
      void closed.then(() => clearInterval(flow));
      await becomes('online');
      await closed;
      const online = await genesis();
      expect(online.lastSeen).toMatch(/^\d{4}-.*Z$/);
      expect(online.checkedAt).toBe(online.lastSeen);
      expect(online.latencyMs).toBeGreaterThanOrEqual(0);
      const metrics = await (await server.get('/metrics')).text();
      expect(metrics).toMatch(/^mesh_genesis_status\{status="online"\} 1$/m);

      const etag = (await server.get('/api/mesh')).headers.get('etag') ?? '';
      const nextCheck = await peer.check();
      clock.advance(1000);
      await getJson(server, '/api/mesh');
      // A redirect to a healthy URL is not followed.
      nextCheck.writeHead(302, { location: '/well' }).end();
      await becomes('offline');
      const offline = await genesis();
      expect(offline).toMatchObject({ lastSeen: online.lastSeen, latencyMs: online.latencyMs });
      expect(offline.checkedAt).toBe(clock.iso());
      expect(peer.paths).not.toContain('/well');
      expect((await server.get('/api/mesh')).headers.get('etag')).not.toBe(etag);

      // Its address is never published.
      for (const path of [
        '/',
        '/metrics',
        '/readyz',
        '/api/openapi.json',
        '/api/registry',
        '/api/trpc/mesh.get',
      ])
        seen.push(await (await server.get(path)).text());
      const { peers, stats } = await getJson(server, '/api/mesh');
      expect([peers, stats.total]).toEqual([[], 1]);
      for (const text of [...seen, server.log()])
        expect(/health-secret-path|token=secret/.exec(text)?.[0]).toBeUndefined();
      for (const text of seen) expect(text.includes(`:${peer.port}`)).toBe(false);
    } finally {
      await server.stop();
      await peer.stop();
    }
  });
});
