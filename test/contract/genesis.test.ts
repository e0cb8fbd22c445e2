import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CHECK_EVERY_MS } from '#server/genesis/monitor.ts';
import { startTestServer } from '../support/server.ts';
import { eventually, getJson, BACKENDS, type Json } from './on-every-backend.ts';

/** A bootstrap peer whose answers the test chooses. */
async function bootstrapPeer() {
  let answer: (response: ServerResponse) => void = () => undefined;
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    paths,
    answers(with_: typeof answer) {
      answer = with_;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

// Side by side: most of this is waiting for the next check.
describe.concurrent('Genesis', () => {
  test.each(BACKENDS)(
    'unknown until the first check has ended, then as the last check found it ($database)',
    { timeout: 120_000 },
    async (backend) => {
      const peer = await bootstrapPeer();
      let waiting: ServerResponse | undefined;
      peer.answers((response) => (waiting = response));
      const server = await startTestServer({
        ...backend,
        env: {
          GENESIS_HEALTH_URL: `http://127.0.0.1:${peer.port}/health-secret-path?token=secret`,
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
          eventually(async () => (await genesis()).status as string, status, 4 * CHECK_EVERY_MS);

        // The check is under way and hangs: nobody waits for it.
        await eventually(() => waiting !== undefined, true);
        const first = await genesis();
        // It may have ended by now: other servers start in this process, and it is given up after 4 s.
        if (!waiting?.closed)
          expect(first).toMatchObject({
            status: 'unknown',
            lastSeen: null,
            checkedAt: null,
            latencyMs: null,
          });

        // A body without end: its head is enough.
        let closed = Promise.resolve<unknown>(undefined);
        const flows = (response: ServerResponse) => {
          response.writeHead(200);
          const flow = setInterval(() => response.write('x'.repeat(10_000)), 5);
          closed = new Promise((resolve) => response.on('close', resolve)).finally(() =>
            clearInterval(flow),
          );
        };
        peer.answers(flows);
        if (waiting && !waiting.closed) flows(waiting);
        await becomes('online');
        await closed;
        const online = await genesis();
        expect(online.lastSeen).toMatch(/^\d{4}-.*Z$/);
        expect(online.checkedAt).toBe(online.lastSeen);
        expect(online.latencyMs).toBeGreaterThanOrEqual(0);
        const metrics = await (await server.get('/metrics')).text();
        expect(metrics).toMatch(/^mesh_genesis_status\{status="online"\} 1$/m);

        const etag = (await server.get('/api/mesh')).headers.get('etag') ?? '';
        // To another place, where all would be well: not followed.
        peer.answers((response) => {
          response
            .writeHead(peer.paths.at(-1) === '/well' ? 200 : 302, { location: '/well' })
            .end();
        });
        await becomes('offline');
        const offline = await genesis();
        expect(offline).toMatchObject({ lastSeen: online.lastSeen, latencyMs: online.latencyMs });
        expect(Date.parse(offline.checkedAt) - Date.parse(online.checkedAt)).toBeGreaterThan(
          CHECK_EVERY_MS / 2,
        );
        expect(peer.paths).not.toContain('/well');
        expect((await server.get('/api/mesh')).headers.get('etag')).not.toBe(etag);

        // Its address is nowhere.
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
    },
  );
});
