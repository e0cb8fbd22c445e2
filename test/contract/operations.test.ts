import { describe, expect, test } from 'vitest';
import { aPing, describeContract, freshId, getJson, postJson } from './contract.ts';

describeContract('for operators', {}, ({ server, clock }) => {
  test('GET /healthz says that the process is alive', async () => {
    const response = await server.get('/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
  });

  test('GET /readyz reports the state of the database and the read model', async () => {
    expect(await getJson(server, '/readyz')).toEqual({
      ok: true,
      database: 'up',
      storage: 'ok',
      readModel: 'loaded',
      degraded: false,
      updatedAt: clock.iso(),
    });
  });

  describe('GET /metrics', () => {
    const metrics = async () => {
      const response = await server.get('/metrics');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      return response.text();
    };
    const value = async (line: RegExp) => {
      const found = new RegExp(`^${line.source} (\\S+)$`, 'm').exec(await metrics());
      return found?.[1] === undefined ? undefined : Number(found[1]);
    };

    test('counts requests by route, method and status, never by URL', async () => {
      const nodeId = freshId();
      const count = (route: string, method: string, status: number) =>
        value(
          new RegExp(
            `mesh_http_requests_total\\{route="${route}",method="${method}",status="${status}"\\}`,
          ),
        );
      const before = (await count('/api/mesh/ping', 'POST', 201)) ?? 0;
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 201);
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 200);
      await postJson(server, '/api/mesh/ping', {}, 400);
      expect(await count('/api/mesh/ping', 'POST', 201)).toBe(before + 1);
      expect(await count('/api/mesh/ping', 'POST', 200)).toBeGreaterThanOrEqual(1);
      expect(await count('/api/mesh/ping', 'POST', 400)).toBeGreaterThanOrEqual(1);
      await server.get('/api/registry/register?id=reg_0000000000000000000000');
      expect(await count('/api/registry/register', 'GET', 404)).toBeGreaterThanOrEqual(1);
      const unique = freshId('unknown');
      await server.get(`/api/${unique}`);
      await server.get(`/${unique}`);
      const text = await metrics();
      expect(text.includes(unique)).toBe(false);
      expect(text.includes('reg_0000')).toBe(false);
      expect(text.includes(nodeId)).toBe(false);
    });

    test('reports how many heartbeats were written in one group', async () => {
      const sum = async () => (await value(/mesh_group_size_sum\{writer="pings"\}/)) ?? 0;
      const groups = async () => (await value(/mesh_group_size_count\{writer="pings"\}/)) ?? 0;
      const [pings, writes] = [await sum(), await groups()];
      const beats = (await value(/mesh_heartbeats_total\{kind="pings"\}/)) ?? 0;
      await Promise.all(Array.from({ length: 60 }, () => server.post('/api/mesh/ping', aPing())));
      expect((await sum()) - pings).toBe(60);
      expect((await groups()) - writes).toBeGreaterThanOrEqual(1);
      expect((await groups()) - writes).toBeLessThanOrEqual(60);
      expect(((await value(/mesh_heartbeats_total\{kind="pings"\}/)) ?? 0) - beats).toBe(60);
      await postJson(
        server,
        '/api/registry/computes',
        { nodeId: freshId(), computes: [{ name: 'some', replicas: 1, freeSlots: 1 }] },
        200,
      );
      expect(await value(/mesh_group_size_count\{writer="announces"\}/)).toBeGreaterThan(0);
    });

    test('reports the age of the read model, the status of Genesis and the event-loop delay', async () => {
      expect(await value(/mesh_read_model_age_seconds/)).toBeGreaterThanOrEqual(0);
      expect(await value(/mesh_genesis_status\{status="unknown"\}/)).toBe(1);
      expect(await value(/mesh_genesis_status\{status="online"\}/)).toBe(0);
      expect(await value(/nodejs_eventloop_lag_p99_seconds/)).toBeGreaterThan(0);
      const { stats } = await getJson(server, '/api/mesh');
      expect(await value(/mesh_peers/)).toBe(stats.peers);
    });
  });
});
