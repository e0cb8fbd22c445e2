import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';

describe('two servers on one database, their clocks a minute apart', () => {
  let database: TestDatabase;
  let slow: TestServer;
  let fast: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const start = (aheadMs: number) =>
      startTestServer({
        env: { ...database.env, COMPUTE_LISTING: 'announced' },
        localClock: () => Date.now() + aheadMs,
      });
    [slow, fast] = [await start(-30_000), await start(30_000)];
  });
  afterAll(async () => {
    await Promise.all([slow.stop(), fast.stop()]);
    await database.drop();
  });

  const peer = async (server: TestServer, id: string) => {
    const { peers } = (await (await server.get('/api/mesh')).json()) as {
      peers: { id: string; status: string; lastSeen: string }[];
    };
    return peers.find((peer) => peer.id === id);
  };

  test.each(['slow', 'fast'] as const)(
    'a heartbeat to the %s one is online on both, at the database’s time',
    async (to) => {
      const node = `node_${to}`;
      const [at, other] = to === 'slow' ? [slow, fast] : [fast, slow];
      const before = Date.now();
      const ping = await at.post('/api/mesh/ping', { nodeId: node, lat: 1, lng: 1 });
      expect(ping.status).toBe(201);
      const after = Date.now();
      await vi.waitFor(async () => expect((await peer(other, node))?.status).toBe('online'), SOON);
      for (const server of [slow, fast]) {
        const seen = await peer(server, node);
        expect(seen?.status).toBe('online');
        const lastSeen = Date.parse(seen?.lastSeen ?? '');
        // Far less than their clocks differ.
        expect(lastSeen).toBeGreaterThan(before - 2000);
        expect(lastSeen).toBeLessThan(after + 2000);
      }
    },
  );

  test('announcements and registrations are followed too', async () => {
    const offer = {
      name: 'gpu',
      image: 'postgres:17',
      visibility: 'public',
      class: 'M',
      backend: 'docker',
      replicas: 2,
      freeSlots: 1,
    };
    expect(
      (await slow.post('/api/registry/computes', { nodeId: 'node_offer', computes: [offer] }))
        .status,
    ).toBeLessThan(300);
    const started = await slow.post('/api/registry/register', {
      action: 'start',
      name: 'followed',
      nodeId: 'node_offer',
      kinds: ['node'],
    });
    expect(started.status).toBe(201);
    await vi.waitFor(async () => {
      const { computes } = (await (await fast.get('/api/registry/computes')).json()) as {
        computes: { name: string }[];
      };
      expect(computes.map(({ name }) => name)).toContain('gpu');
      const { counts } = (await (await fast.get('/api/registry/register')).json()) as {
        counts: { pending: number };
      };
      expect(counts.pending).toBe(1);
    }, SOON);
  });

  test('each says by how much its clock differs', async () => {
    for (const [server, ahead] of [
      [slow, 30],
      [fast, -30],
    ] as const) {
      const [, offset] =
        /^mesh_clock_offset_seconds (\S+)$/m.exec(await (await server.get('/metrics')).text()) ??
        [];
      expect(Math.abs(Number(offset) - ahead)).toBeLessThan(5);
      expect(server.log()).toContain('clock differs from the database’s');
    }
  });
});
