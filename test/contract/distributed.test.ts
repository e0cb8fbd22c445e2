import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distribute } from '#db/distribute.ts';
import { accept, reject } from '../support/decisions.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startNetworkProxy, type NetworkProxy } from '../support/network-proxy.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/**
 * Citus cannot be installed by npm. What it refuses is documented; this checks that the service sends nothing of the
 * kind to a database that has been distributed. A table of the name that the service looks for stands in for Citus.
 */
const QUARTER_MS = 15 * 60_000;

describe('on a distributed database', () => {
  let database: TestDatabase;
  let proxy: NetworkProxy;
  let server: TestServer;
  let sent = '';
  let now = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
  beforeAll(async () => {
    database = await createTestDatabase();
    const sql = postgres(database.env.DATABASE_URL ?? '', { max: 1 });
    await sql`create table pg_dist_partition as select 'peers'::regclass as logicalrelid`;
    await sql.end();
    proxy = await startNetworkProxy(database.env.DATABASE_URL ?? '', {
      onSent: (chunk) => void (sent += chunk.toString('latin1')),
    });
    server = await startTestServer({
      env: { DATABASE_URL: proxy.url, RATE_LIMITS: 'off' },
      clock: () => now,
    });
  });
  afterAll(async () => {
    await server.stop();
    await proxy.cut();
    await database.drop();
  });

  const post = async (path: string, body: unknown) => {
    const response = await server.post(path, body);
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as { id: string; isNew: boolean; paymentNote: string };
  };
  const register = async (name: string) => {
    const fields = { action: 'start', name, nodeId: 'node_a', kinds: ['node', 'compute'] };
    const { id } = await post('/api/registry/register', fields);
    return post('/api/registry/register', { action: 'confirm', id });
  };

  /** Has the server record a quarter of an hour. */
  const recordQuarter = async () => {
    const { uptime } = server.services;
    const end = now - (now % QUARTER_MS) + QUARTER_MS;
    for (now = end - QUARTER_MS + 1000; now < end + 5000; now += 30_000) await uptime.tick();
    await uptime.tick();
  };
  const removeNode = async (nodeId: string) => {
    await post('/api/mesh/ping', { nodeId, lat: 1, lng: 1 });
    await post('/api/registry/computes', {
      nodeId,
      computes: [{ name: 'cpu', replicas: 1, freeSlots: 1 }],
    });
    const response = await server.get(`/api/mesh/nodes/${nodeId}`, { method: 'DELETE' });
    expect(response.status).toBe(200);
    now += 24 * 3_600_000 - 15 * 60_000;
    for (let at = 0; at < 32; at++) {
      now += 30_000;
      await server.services.uptime.tick();
    }
    expect(await server.services.nodes.removeHidden()).toBe(1);
  };

  test('a PostgreSQL without Citus is not distributed', async () => {
    await expect(distribute(database.env.DATABASE_URL ?? '')).rejects.toThrow(
      'has no Citus extension',
    );
  });

  test('everything works, with statements that Citus accepts', async () => {
    const ping = (lat: number) => post('/api/mesh/ping', { nodeId: 'node_a', lat, lng: 1 });
    expect((await ping(1)).isNew).toBe(true);
    expect((await ping(2)).isNew).toBe(false);
    for (const freeSlots of [1, 2])
      await post('/api/registry/computes', {
        nodeId: 'node_a',
        computes: [{ name: 'gpu', replicas: 2, freeSlots }],
      });
    const { services } = server;
    const { id, paymentNote: note } = await register('gpu');
    await accept(services, { id, reviewer: 'ada' });
    const second = await register('other');
    const { review } = services;
    await accept(server.services, { id: second.id, reviewer: 'ada' });
    await review.undo({ note: second.paymentNote, reviewer: 'ada' });
    await reject(services, { id: second.id, reviewer: 'ada', reason: 'No payment arrived.' });
    await services.nodes.block({ nodeId: 'node_b', reviewer: 'ada', reason: 'test' });
    await services.nodes.unblock({ nodeId: 'node_b', reviewer: 'ada', reason: 'test' });
    await services.nodes.block({ nodeId: 'node_b', reviewer: 'ada', reason: 'test' });
    expect(note).toMatch(/gpu/i);
    await recordQuarter();
    await removeNode('node_c');

    const { peers } = (await (await server.get('/api/mesh')).json()) as { peers: object[] };
    expect(peers).toMatchObject([{ id: 'node_a', lat: 2 }]);
    const { computes } = (await (await server.get('/api/registry/computes')).json()) as {
      computes: object[];
    };
    expect(computes).toMatchObject([{ name: 'gpu', freeSlots: 2 }]);

    const statements = sent
      .replaceAll('"', '')
      .split('\0')
      // A letter before the first word is the length of the message.
      .filter((text) => /(select|insert|update|delete|with)\s/.test(text));
    const including = (pattern: RegExp) => statements.filter((text) => pattern.test(text));
    expect(including(/insert into peers/)).not.toEqual([]);
    expect(including(/insert into computes/)).not.toEqual([]);
    expect(including(/insert into node_days/)).not.toEqual([]);
    expect(including(/delete from (peers|computes|node_days)/)).toHaveLength(3);
    // Functions that are not immutable, in DO UPDATE.
    expect(including(/do update set[^;]*\b(now|clock_timestamp|random|nextval)\s*\(/)).toEqual([]);
    // The same in RETURNING.
    expect(including(/returning[^;]*\b(now|nextval)\s*\(/)).toEqual([]);
    // Writing a distributed table within another statement.
    expect(
      including(/^.*\bwith\b.*(insert into|update|delete from) (peers|computes|node_days)\b/s),
    ).toEqual([]);
    // Locking rows of a distributed table.
    expect(including(/from (peers|computes|node_days)\b.*for (update|share)/s)).toEqual([]);
  });
});
