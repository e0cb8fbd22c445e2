import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startNetworkProxy, type NetworkProxy } from '../support/network-proxy.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  aCompute,
  aPing,
  aStart,
  describeContract,
  eventually,
  expectError,
  freshId,
  getJson,
  postJson,
} from './contract.ts';

const NAME = '/api/registry/register?name=garage';

describe('while the database is unavailable', () => {
  let database: TestDatabase;
  let proxy: NetworkProxy;
  let server: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startNetworkProxy(database.env.DATABASE_URL ?? '');
    server = await startTestServer({
      env: { DATABASE_URL: proxy.url, RATE_LIMITS: 'off' },
    });
  });
  afterAll(async () => {
    await server.stop();
    await proxy.cut();
    await database.drop();
  });

  test('writes get 503 with Retry-After, reads continue, and the service recovers automatically', async () => {
    const { peer } = await postJson(server, '/api/mesh/ping', aPing(), 201);
    const { id } = await postJson(server, '/api/registry/register', aStart(), 201);
    await proxy.cut();

    const answers = await Promise.all([
      server.post('/api/mesh/ping', aPing()),
      server.post('/api/registry/computes', { nodeId: freshId(), computes: [aCompute()] }),
      server.post('/api/registry/register', aStart()),
      server.post('/api/registry/register', { action: 'confirm', id }),
      server.get(`/api/registry/register?id=${id}`),
    ]);
    // Names are in memory, and unknown once that may be out of date.
    await eventually(async () => (await server.get(NAME)).status, 503);
    answers.push(await server.get(NAME));
    for (const answer of answers) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const { error } = await expectError(server, answer, 503, 'unavailable');
      expect(error).not.toMatch(/ECONN|postgres|127\.0\.0\.1|CONNECTION/i);
    }
    const typed = await server.post('/api/trpc/registry.confirm', { id });
    expect(typed.status).toBe(503);
    expect(Number(typed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);

    expect((await getJson(server, '/api/mesh')).peers).toContainEqual(peer);
    for (const path of ['/api/registry/computes', '/api/registry', '/api/registry/register'])
      await getJson(server, path);
    expect((await server.get(`/register/${id}`)).status).toBe(200);
    expect(await getJson(server, '/healthz')).toEqual({ ok: true });
    expect(await getJson(server, '/readyz')).toMatchObject({
      ok: true,
      database: 'down',
      degraded: true,
    });

    await proxy.restore();
    // Promised within 2 s.
    await eventually(async () => (await server.post('/api/mesh/ping', aPing())).status, 201);
    await eventually(async () => (await getJson(server, '/readyz')).degraded, false);
  });
});

describeContract('on an internal error', {}, ({ server }) => {
  test('the answer is 500 without the driver’s message, and the log has the cause', async () => {
    await server.database.db.execute(sql.raw('alter table peers rename to hidden_peers'));
    const nodeId = freshId();
    const { error, requestId } = await expectError(
      server,
      await server.post(
        '/api/mesh/ping',
        aPing({ nodeId, label: 'label of the row', lat: 48.8583701 }),
      ),
      500,
      'internal',
    );
    expect(error).not.toMatch(/peers|relation|insert|sql|query/i);
    const line = server
      .log()
      .split('\n')
      .find((line) => line.includes(requestId));
    const logged = JSON.parse(line ?? '{}') as Record<string, unknown>;
    expect(logged).toMatchObject({ level: 50, code: 'internal' });
    expect(JSON.stringify(logged)).toContain('42P01');
    // The log must not contain values of the row.
    expect(line?.includes(nodeId)).toBe(false);
    expect(line?.includes('label of the row')).toBe(false);
    expect(line?.includes('8583701')).toBe(false);
    await server.database.db.execute(sql.raw('alter table hidden_peers rename to peers'));
    await postJson(server, '/api/mesh/ping', aPing(), 201);
  });
});
