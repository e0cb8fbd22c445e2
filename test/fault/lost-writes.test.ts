import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startPostgres, type PostgresServer } from '../support/postgres.ts';
import { changesOf } from '../support/changes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';

interface Mesh {
  stats: { peers: number; byRegion: Record<string, number> };
  peers: { id: string; label: string }[];
}

/** Another server's write shows within 2 s; a load after that takes less than one more. */

describe('a database that has lost acknowledged writes, as after a fail-over to a standby that lagged', () => {
  let database: PostgresServer;
  let servers: TestServer[];
  beforeAll(async () => {
    database = await startPostgres();
    const start = () =>
      startTestServer({
        env: { DATABASE_URL: database.url(), RATE_LIMITS: 'off', COMPUTE_LISTING: 'announced' },
      });
    servers = [await start(), await start()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.stop();
  });

  const ping = async (server: TestServer, nodeId: string, label: string, region = 'EU') => {
    const answer = await server.post('/api/mesh/ping', { nodeId, lat: 1, lng: 1, label, region });
    expect(answer.status).toBeLessThan(300);
  };
  const announce = async (server: TestServer, nodeId: string, name: string) => {
    const computes = [{ name, replicas: 1, freeSlots: 1 }];
    expect((await server.post('/api/registry/computes', { nodeId, computes })).status).toBe(200);
  };
  const mesh = async (server: TestServer) => (await (await server.get('/api/mesh')).json()) as Mesh;
  const labels = async (server: TestServer) =>
    Object.fromEntries((await mesh(server)).peers.map(({ id, label }) => [id, label]));
  const pending = async (server: TestServer) => {
    const answer = await server.get('/api/registry/register');
    return ((await answer.json()) as { counts: { pending: number } }).counts.pending;
  };
  const query = async (statements: string) => {
    const sql = postgres(database.url(), { max: 1 });
    await sql.unsafe(statements).simple();
    await sql.end();
  };
  const onBoth = (check: (server: TestServer) => Promise<void>) =>
    Promise.all(servers.map((server) => vi.waitFor(() => check(server), SOON)));

  test('every server gives up what was lost, tells its streams, and shows the next heartbeats', async () => {
    const [a, b] = servers as [TestServer, TestServer];
    await ping(a, 'node_kept', 'first');
    for (const label of ['x', 'y', 'lost']) await ping(a, 'node_kept', label, 'LOST');
    await ping(a, 'node_new', 'new');
    await announce(a, 'node_new', 'gpu');
    await a.post('/api/registry/register', {
      action: 'start',
      name: 'lost',
      nodeId: 'node_new',
      kinds: ['node'],
    });
    await onBoth(async (server) => {
      expect(await labels(server)).toEqual({ node_kept: 'lost', node_new: 'new' });
      expect(await pending(server)).toBe(1);
    });

    const stream = changesOf(b.services.mesh.changes(undefined, new AbortController().signal));
    const shown = new Map<string, string>();
    void (async () => {
      for await (const { rows, removed } of stream) {
        for (const { id, label } of rows) shown.set(id, label);
        for (const id of removed) shown.delete(id);
      }
    })();
    await vi.waitFor(() => expect(shown.size).toBe(2), SOON);

    // The state of a moment ago. A crash and a restart stand for the other database that takes over.
    await query(`
      update peers set rev = 1, label = 'first', region = 'EU' where id = 'node_kept';
      delete from peers where id = 'node_new';
      delete from computes;
      delete from name_claims where name = 'lost';
      delete from registration_history;
      delete from registrations;
      delete from feed;`);
    await database.kill();
    await database.start();

    await onBoth(async (server) => {
      const { peers, stats } = await mesh(server);
      expect(peers.map(({ id, label }) => [id, label])).toEqual([['node_kept', 'first']]);
      expect(stats).toMatchObject({ peers: 1, byRegion: { EU: 1 } });
      const { stats: offers } = (await (await server.get('/api/registry/computes')).json()) as {
        stats: { total: number };
      };
      expect(offers.total).toBe(0);
      expect(await pending(server)).toBe(0);
    });
    await vi.waitFor(() => expect([...shown]).toEqual([['node_kept', 'first']]), SOON);

    await ping(a, 'node_kept', 'next');
    await ping(b, 'node_new', 'new again');
    await onBoth(async (server) =>
      expect(await labels(server)).toEqual({ node_kept: 'next', node_new: 'new again' }),
    );
    await vi.waitFor(() => expect(shown.get('node_new')).toBe('new again'), SOON);
  });

  test('also if nothing tells that another database has taken over', async () => {
    const [a] = servers as [TestServer];
    await ping(a, 'node_back', 'first');
    for (const label of ['x', 'y', 'lost']) await ping(a, 'node_back', label);
    await onBoth(async (server) => expect((await labels(server))['node_back']).toBe('lost'));
    await query(`update peers set rev = 1, label = 'first' where id = 'node_back'`);
    await ping(a, 'node_back', 'next');
    await onBoth(async (server) => expect((await labels(server))['node_back']).toBe('next'));
  });
});
