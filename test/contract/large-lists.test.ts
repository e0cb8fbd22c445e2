import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesOf } from '../support/changes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  activeName,
  aCompute,
  aPing,
  eventually,
  freshId,
  getJson,
  type Json,
} from './contract.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

/** Two servers on one database: one makes its lists in a thread of its own, the other in the event loop. */
describe('lists that a thread of its own makes', () => {
  let database: TestDatabase;
  let large: TestServer;
  let small: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ...database.env, RATE_LIMITS: 'off', SHARED_CACHE_SECONDS: '7' };
    large = await startTestServer({ env, largeListRows: 1 });
    small = await startTestServer({ env });
    for (let n = 0; n < 5; n++) {
      const nodeId = freshId();
      const name = freshId('name');
      await large.post('/api/mesh/ping', aPing({ nodeId }));
      await activeName(large, { name, nodeId });
      await large.post('/api/registry/computes', { nodeId, computes: [aCompute({ name })] });
    }
  });
  afterAll(async () => {
    await Promise.all([large.stop(), small.stop()]);
    await database.drop();
  });

  const LISTS = ['/api/mesh', '/api/registry/computes', '/api/registry'];

  test.each(LISTS)(
    '%s: the same content with the same ETag on both, and 304 for it',
    async (path) => {
      const read = async (server: TestServer) => {
        const response = await server.get(path, { headers: { 'accept-encoding': 'br' } });
        const { updatedAt: _, ...content } = await response.json();
        return { etag: response.headers.get('etag') ?? '', content };
      };
      await eventually(async () => (await read(large)).etag === (await read(small)).etag, true);
      const { etag, content } = await read(large);
      expect(content).toEqual((await read(small)).content);
      for (const server of [large, small]) {
        const again = await server.get(path, { headers: { 'if-none-match': etag } });
        expect(again.status).toBe(304);
        expect(again.headers.get('cache-control')).toBe(
          'public, max-age=0, s-maxage=7, stale-while-revalidate=5',
        );
      }
    },
  );

  test('a heartbeat shows soon, and the counts are right all the time', async () => {
    for (let round = 0; round < 5; round++) {
      const nodeId = freshId();
      await large.post('/api/mesh/ping', aPing({ nodeId, status: 'idle' }));
      await eventually(async () => {
        const { peers, stats } = await getJson(large, '/api/mesh');
        expect(stats.peers).toBe(peers.length);
        expect(stats.idle).toBe(peers.filter(({ status }: Json) => status === 'idle').length);
        return peers.some(({ id }: Json) => id === nodeId);
      }, true);
    }
  });

  test('an event stream begins with the list, and goes on where the list ends', async () => {
    const connection = new AbortController();
    const stream = changesOf(large.services.mesh.changes(undefined, connection.signal));
    const { value: snapshot } = await stream.next();
    expect(snapshot?.type).toBe('snapshot');
    const rows: Json[] = snapshot?.rows ?? [];
    const shown = new Map(rows.map((row) => [row.id as string, row]));
    const nodeId = freshId();
    await large.post('/api/mesh/ping', aPing({ nodeId }));
    for await (const { rows } of stream) {
      for (const row of rows) shown.set(row.id, row);
      if (shown.has(nodeId)) break;
    }
    connection.abort();
    await eventually(
      async () => (await getJson(large, '/api/mesh')).peers.length === shown.size,
      true,
    );
    expect((await getJson(large, '/api/mesh')).peers).toEqual([...shown.values()]);
  });

  test('the typed API sends the same rows', async () => {
    for (const server of [large, small]) {
      const { result } = await getJson(server, '/api/trpc/mesh.get');
      const { peers } = await getJson(server, '/api/mesh');
      expect(result.data.peers).toEqual(peers);
      const places = await getJson(server, '/api/trpc/mesh.places');
      const nodes = places.result.data.places.counts.flat();
      expect(nodes.reduce((sum: number, count: number) => sum + count, 0)).toBe(peers.length);
    }
    const available = encodeURIComponent(JSON.stringify({ available: true }));
    const { result } = await getJson(large, `/api/trpc/computes.list?input=${available}`);
    expect(result.data.computes).toHaveLength(5);
  });
});
