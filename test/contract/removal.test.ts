import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { computes, nodeDays, peers } from '#db/schema/index.ts';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { pin, sendSigned } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  aCompute,
  aPing,
  activeName,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  raw,
  type Json,
} from './contract.ts';
import { SOON } from '../support/until.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const unsigned = (server: TestServer, id: string, init?: RequestInit) =>
  server.get(`/api/mesh/nodes/${id}`, { method: 'DELETE', ...init });
const key = generateNodeKey();
/** Removes a node by the signature of the key to which it is pinned. @param now of the server's clock, ms */
const remove = async (server: TestServer, id: string, now = Date.now()) => {
  if (NODE_ID_PATTERN.test(id)) await pin(server, id, key);
  return sendSigned(server, `/api/mesh/nodes/${id}`, { method: 'DELETE', key, now });
};
const peerIds = async (server: TestServer): Promise<string[]> =>
  (await getJson(server, '/api/mesh')).peers.map(({ id }: Json) => id);
const announce = (server: TestServer, nodeId: string, name = freshId('comp')) =>
  postJson(server, '/api/registry/computes', { nodeId, computes: [aCompute({ name })] }, 200);

const options = { env: { COMPUTE_LISTING: 'announced' } };
describeContract('DELETE /api/mesh/nodes/:id', options, ({ server, clock }) => {
  test('removes the node, its compute offers and its history, and its names stay', async () => {
    const [id, other] = [freshId(), freshId()];
    for (const nodeId of [id, other]) {
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 201);
      await announce(server, nodeId);
    }
    const { name } = await activeName(server, { nodeId: id });
    for (let at = 0; at < 21; at++) {
      clock.advance(45_000);
      await server.services.uptime.tick();
    }
    await getJson(server, `/api/mesh/history?node=${id}`);

    const response = await remove(server, id, clock.now);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await peerIds(server)).toEqual([other]);
    const listed = (await getJson(server, '/api/registry/computes')).computes;
    expect(listed.map(({ nodeId }: Json) => nodeId)).toEqual([other]);
    const { entries } = await getJson(server, '/api/registry');
    expect(entries.find((entry: Json) => entry.name === name)).toMatchObject({
      nodeId: id,
      node: null,
      compute: null,
    });
    await expectError(server, await server.get(`/api/mesh/history?node=${id}`), 404, 'not_found');
    const { db } = server.database;
    expect((await db.select().from(peers)).map((row) => row.id)).toEqual([other]);
    expect((await db.select().from(computes)).map((row) => row.nodeId)).toEqual([other]);
    // Of the other node, and of its offer.
    const heard = (await db.select().from(nodeDays)).map((row) => row.node.split(':')[0]);
    expect(heard).toEqual([other, other]);

    await expectError(server, await remove(server, id, clock.now), 404, 'not_found');
    clock.advance(1000);
    const ping = () =>
      sendSigned(server, '/api/mesh/ping', { body: aPing({ nodeId: id }), key, now: clock.now });
    const first = await ping();
    expect(first.status).toBe(201);
    const { isNew, peer }: Json = await first.json();
    expect({ isNew, joinedAt: peer.joinedAt }).toEqual({ isNew: true, joinedAt: clock.iso() });
    expect((await ping()).status).toBe(200);
  });

  test('a node that only announces can be removed too', async () => {
    const id = freshId();
    await announce(server, id);
    expect((await remove(server, id, clock.now)).status).toBe(204);
    expect(server.services.computes.ofNode(id)).toEqual([]);
  });

  test('an event stream reports it as removed', async () => {
    const id = freshId();
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 201);
    const stopping = new AbortController();
    const events = server.services.mesh.changes(server.services.mesh.cursor(), stopping.signal);
    expect((await remove(server, id, clock.now)).status).toBe(204);
    const { value } = await events.next();
    expect(JSON.parse(Buffer.concat(value?.data ?? []).toString())).toMatchObject({
      type: 'changes',
      rows: [],
      removed: [id],
    });
    stopping.abort();
  });

  test('what no node can be named is not found; a blocked node stays', async () => {
    for (const id of ['genesis', freshId(), 'a', '__proto__', 'a%00b', 'a.b'])
      await expectError(server, await remove(server, id, clock.now), 404, 'not_found');
    const id = freshId();
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 201);
    await server.services.nodes.block({ nodeId: id, reviewer: 'ada', reason: 'test' });
    await expectError(server, await remove(server, id, clock.now), 403, 'blocked');
  });

  test('other methods are refused, and other sites may not ask for it', async () => {
    for (const method of ['GET', 'POST', 'PUT']) {
      const response = await server.get('/api/mesh/nodes/x', { method });
      expect(response.headers.get('allow')).toBe('OPTIONS, DELETE');
      await expectError(server, response, 405, 'method_not_allowed');
    }
    const { status, headers } = await raw(server, '/api/mesh/nodes/x', { method: 'OPTIONS' });
    expect([status, headers['access-control-allow-origin']]).toEqual([204, undefined]);
  });
});

const secret = { env: { WEBHOOK_SECRET: 'open-sesame' } };
describeContract('removing a node without its secret', secret, ({ server }) => {
  test('is refused', async () => {
    const id = freshId();
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 201);
    const send = (token: string) =>
      unsigned(server, id, { headers: { authorization: `Bearer ${token}` } });
    await expectError(server, await send('guess'), 401, 'unauthorized');
    expect((await send('open-sesame')).status).toBe(200);
  });
});

describeContract('nodes that are not heard of', options, ({ server, clock }) => {
  /** As a server that has been up for a while. */
  const removeSilent = async () => {
    for (let at = 0; at < 15; at++) {
      clock.advance(45_000);
      await server.services.uptime.tick();
    }
    return server.services.nodes.removeSilent();
  };

  test('leave after NODE_RETENTION_DAYS, unless they have an active name or announce', async () => {
    const [silent, named, announcing, heard] = [
      freshId('silent'),
      freshId('named'),
      freshId('announcing'),
      freshId('heard'),
    ];
    for (const nodeId of [silent, named, announcing, heard])
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 201);
    await announce(server, silent);
    const onlyAnnounced = freshId('offer');
    await announce(server, onlyAnnounced);
    await activeName(server, { nodeId: named });
    const { peers: before } = (await getJson(server, '/api/mesh')).stats;

    clock.advance(30 * DAY - 20 * MINUTE);
    expect(await removeSilent()).toBe(0);
    await announce(server, announcing);
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: heard }), 200);
    expect(await removeSilent()).toBe(2);
    const left = await peerIds(server);
    expect(left.sort()).toEqual([named, announcing, heard].sort());
    expect((await getJson(server, '/api/mesh')).stats.peers).toBe(before - 1);
    expect(server.services.computes.ofNode(onlyAnnounced)).toEqual([]);
    expect(server.services.computes.ofNode(announcing)).toHaveLength(1);
  });

  test('stay until they had time to be heard again, after the service was away', async () => {
    const id = freshId();
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 201);
    clock.advance(40 * DAY);
    await server.services.uptime.tick();
    expect(await server.services.nodes.removeSilent()).toBe(0);
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 200);
    await removeSilent();
    expect(await peerIds(server)).toContain(id);
  });
});

const forEver = { env: { NODE_RETENTION_DAYS: '0' } };
describeContract('with NODE_RETENTION_DAYS=0', forEver, ({ server, clock }) => {
  test('nodes are kept for ever', async () => {
    const id = freshId();
    await postJson(server, '/api/mesh/ping', aPing({ nodeId: id }), 201);
    clock.advance(4000 * DAY);
    for (let at = 0; at < 15; at++) {
      clock.advance(45_000);
      await server.services.uptime.tick();
    }
    expect(await server.services.nodes.removeSilent()).toBe(0);
    expect(await peerIds(server)).toEqual([id]);
  });
});

describe('removing nodes on several servers', () => {
  let database: TestDatabase;
  let a: TestServer;
  let b: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ...database.env, RATE_LIMITS: 'off' };
    [a, b] = [await startTestServer({ env }), await startTestServer({ env })];
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await database.drop();
  });
  const ping = (server: TestServer, nodeId: string) =>
    server.post('/api/mesh/ping', aPing({ nodeId }));

  test('a removed node leaves all of them, and comes back as a new one', async () => {
    const id = freshId();
    for (let n = 0; n < 3; n++) await ping(a, id);
    await vi.waitFor(async () => expect(await peerIds(b)).toEqual([id]), SOON);
    expect((await remove(b, id)).status).toBe(204);
    expect(await peerIds(b)).toEqual([]);
    await vi.waitFor(async () => expect(await peerIds(a)).toEqual([]), SOON);
    expect((await ping(a, id)).status).toBe(201);
    expect(await peerIds(a)).toEqual([id]);
    await vi.waitFor(async () => expect(await peerIds(b)).toEqual([id]), SOON);
    expect(await (await remove(a, id)).text()).toBe('');
    expect(a.log() + b.log()).not.toContain('loading everything');
  });

  /** As a reviewer does, whether or not there is such a node. */
  const removeForGood = ({ services }: TestServer, match: string) =>
    services.nodes
      .removeMatching({
        filter: { match, silentSince: '' },
        expected: 1,
        reason: 'test',
        reviewer: 'ada',
      })
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'not_found' }));

  test('heartbeats that race with removals end alike on every server', async () => {
    const ids = Array.from({ length: 8 }, () => freshId('race'));
    await Promise.all(
      ids.flatMap((id, n) =>
        Array.from({ length: 12 }, async (_, round) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
          const server = (n + round) % 2 === 0 ? a : b;
          if (round % 3 === 2) await removeForGood(server, id);
          else {
            const { status } = await (round % 4 === 3 ? unsigned(server, id) : ping(server, id));
            expect([200, 201, 404, 409]).toContain(status);
          }
        }),
      ),
    );
    const stored = async () => {
      const rows = await a.database.db.select({ id: peers.id, rev: peers.rev }).from(peers);
      return rows.map(({ id, rev }) => `${id} ${rev}`).sort();
    };
    const held = ({ services }: TestServer) =>
      [...services.context.live.peers.rows()].map(({ id, rev }) => `${id} ${rev}`).sort();
    await vi.waitFor(async () => {
      const expected = await stored();
      expect(held(a)).toEqual(expected);
      expect(held(b)).toEqual(expected);
    }, SOON);
  });
});
