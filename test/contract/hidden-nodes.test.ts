import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { computes, nodeDays, nodeKeys, peers } from '#db/schema/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { changesOf } from '../support/changes.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { pin, rotationTo, sendSigned } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';
import {
  aCompute,
  aPing,
  activeName,
  describeContract,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const remove = (server: TestServer, id: string, init?: RequestInit) =>
  server.get(`/api/mesh/nodes/${id}`, { method: 'DELETE', ...init });
const hide = async (server: TestServer, id: string): Promise<Json> => {
  const response = await remove(server, id);
  expect(response.status).toBe(200);
  return response.json();
};
const ping = (server: TestServer, nodeId: string, status: number, fields = {}) =>
  postJson(server, '/api/mesh/ping', aPing({ nodeId, ...fields }), status);
const announce = (server: TestServer, nodeId: string, name = freshId('comp')) =>
  postJson(server, '/api/registry/computes', { nodeId, computes: [aCompute({ name })] }, 200);
const peerIds = async (server: TestServer): Promise<string[]> =>
  (await getJson(server, '/api/mesh')).peers.map(({ id }: Json) => id);
const hosts = async (server: TestServer): Promise<string[]> =>
  (await getJson(server, '/api/registry/computes')).computes.map(({ nodeId }: Json) => nodeId);

const options = { env: { COMPUTE_LISTING: 'announced' } };
describeContract('a node that the shared secret removes', options, ({ server, clock }) => {
  /** Lets the service be up for as long. */
  const pass = async (ms: number) => {
    for (const end = clock.now + ms; clock.now < end;) {
      clock.advance(Math.min(45_000, end - clock.now));
      await server.services.uptime.tick();
    }
  };
  /** Passes a day, of which the service is up for the last quarter of an hour. */
  const passADay = async () => {
    clock.advance(DAY - 20 * MINUTE);
    await pass(20 * MINUTE);
  };
  const history = (id: string) => server.get(`/api/mesh/history?node=${id}`);
  const stored = async (id: string) => {
    const { db } = server.database;
    const rows = await db.select().from(peers).where(eq(peers.id, id));
    const days = await db.select().from(nodeDays).where(eq(nodeDays.node, id));
    return { peers: rows.length, hasHistory: days.length > 0 };
  };
  /** Has a history, an offer, and an active name. */
  const aNode = async () => {
    const id = freshId();
    const peer = (await ping(server, id, 201, { region: freshId('R').toUpperCase().slice(0, 12) }))
      .peer;
    await announce(server, id);
    const { name } = await activeName(server, { nodeId: id, region: 'EU' });
    // The first quarter is not measured if the service was away in it.
    await pass(15 * MINUTE);
    await ping(server, id, 200);
    await pass(20 * MINUTE);
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
    expect((await history(id)).status).toBe(200);
    return { id, name, peer };
  };

  test('is in no list and on no page from then on, and nothing of it is deleted', async () => {
    const { id, name, peer } = await aNode();
    const before = await getJson(server, '/api/mesh');
    const { hiddenAt, ...answer } = await hide(server, id);
    expect(hiddenAt).toBe(clock.iso());
    expect(answer).toEqual({
      ok: true,
      nodeId: id,
      removedAt: new Date(clock.now + DAY).toISOString(),
    });

    const mesh = await getJson(server, '/api/mesh');
    expect(JSON.stringify(mesh)).not.toContain(id);
    expect(mesh.stats).toMatchObject({
      total: before.stats.total - 1,
      peers: before.stats.peers - 1,
    });
    expect(mesh.stats.byRegion[peer.region]).toBeUndefined();
    expect(await hosts(server)).not.toContain(id);
    const { entries } = await getJson(server, '/api/registry');
    expect(entries.find((entry: Json) => entry.name === name)).toMatchObject({
      node: null,
      compute: null,
    });
    await expectError(server, await history(id), 404, 'not_found');
    expect(server.services.mesh.peer(id)).toBeNull();
    const { hits } = server.services.search.find(id);
    expect(hits.filter(({ kind }) => kind !== 'name')).toEqual([]);
    const page = await (await server.get(`/nodes/${id}`)).text();
    expect(page).toContain('hidden');
    expect(page).not.toContain(peer.region);
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
  });

  test('stays hidden if it is removed again, for as long as the first time', async () => {
    const { id } = await aNode();
    const first = await hide(server, id);
    clock.advance(HOUR);
    expect(await hide(server, id)).toEqual(first);
  });

  test.each(['a heartbeat', 'an announcement'])('comes back by %s, as it was', async (by) => {
    const { id, peer } = await aNode();
    await hide(server, id);
    const end = new AbortController();
    const changes = changesOf(
      server.services.mesh.changes(server.services.mesh.cursor(), end.signal),
    );
    clock.advance(5 * HOUR);
    if (by === 'a heartbeat') {
      const back = await ping(server, id, 200);
      expect(back).toMatchObject({ isNew: false, peer: { joinedAt: peer.joinedAt } });
    } else await announce(server, id);
    const { value } = await changes.next();
    end.abort();
    expect(value).toMatchObject({ rows: [{ id, joinedAt: peer.joinedAt }], removed: [] });
    const mesh = await getJson(server, '/api/mesh');
    expect(mesh.peers.map(({ id }: Json) => id)).toContain(id);
    for (const recent of mesh.recentPings) expect(recent.isNew).toBe(false);
    expect(await hosts(server)).toContain(id);
    expect((await history(id)).status).toBe(200);
    // Nothing of it leaves once the day has passed.
    await passADay();
    await server.services.nodes.removeHidden();
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
    expect(await peerIds(server)).toContain(id);
  });

  test('leaves with its history after 24 h of silence, and not before', async () => {
    const { id, name } = await aNode();
    await hide(server, id);
    clock.advance(DAY - 20 * MINUTE);
    await pass(19 * MINUTE);
    await server.services.nodes.removeHidden();
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
    await pass(2 * MINUTE);
    expect(await server.services.nodes.removeHidden()).toBe(1);
    expect(await stored(id)).toEqual({ peers: 0, hasHistory: false });
    expect(server.services.computes.ofNode(id)).toEqual([]);
    const { entries } = await getJson(server, '/api/registry');
    expect(entries.map((entry: Json) => entry.name)).toContain(name);
    await expectError(server, await remove(server, id), 404, 'not_found');
    expect(await ping(server, id, 201)).toMatchObject({ isNew: true });
  });

  test('stays until it had time to be heard of, after the service was away', async () => {
    const { id } = await aNode();
    await hide(server, id);
    clock.advance(3 * DAY);
    await server.services.uptime.tick();
    expect(await server.services.nodes.removeHidden()).toBe(0);
    expect(await ping(server, id, 200)).toMatchObject({ isNew: false });
    await pass(15 * MINUTE);
    await server.services.nodes.removeHidden();
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
  });

  test('can’t be kept hidden while it sends heartbeats', async () => {
    const { id } = await aNode();
    await hide(server, id);
    clock.advance(20_000);
    await ping(server, id, 200);
    const { error } = await expectError(server, await remove(server, id), 409, 'invalid_state');
    expect(error).toContain('Stop it');
    expect(await peerIds(server)).toContain(id);
    // Once it is offline, whoever stopped it can remove it.
    clock.advance(61_000);
    await hide(server, id);
    expect(await peerIds(server)).not.toContain(id);
  });

  test('is kept once it is pinned, whoever hid it before', async () => {
    const { id } = await aNode();
    await hide(server, id);
    await pin(server, id, generateNodeKey());
    await expectError(server, await remove(server, id), 401, 'signature_required');
    await passADay();
    await server.services.nodes.removeHidden();
    expect(await stored(id)).toEqual({ peers: 1, hasHistory: true });
    expect(await peerIds(server)).toContain(id);
  });

  test('that only announces is hidden and comes back too', async () => {
    const id = freshId();
    await announce(server, id, `of-${id.toLowerCase()}`.slice(0, 30));
    await hide(server, id);
    expect(await hosts(server)).not.toContain(id);
    clock.advance(1000);
    await announce(server, id);
    expect((await hosts(server)).filter((host) => host === id)).toHaveLength(2);
  });

  test('has the outages that it would have otherwise: a hide neither makes one nor conceals one', async () => {
    const id = freshId();
    await ping(server, id, 201);
    await hide(server, id);
    const rounds = async (ms: number) => {
      for (const end = clock.now + ms; clock.now < end;) {
        clock.advance(15_000);
        await server.services.outages.round();
      }
      return server.services.outages.ofNode(id);
    };
    const offlineSince = new Date(clock.now);
    expect(await rounds(4 * MINUTE)).toEqual([]);
    expect(await rounds(2 * MINUTE)).toMatchObject([{ offlineSince, backAt: null }]);
    await ping(server, id, 200);
    expect(await rounds(MINUTE)).toMatchObject([{ offlineSince, backAt: expect.any(Date) }]);
  });
});

const few = { limits: { hiding: { points: 3, seconds: 60 } }, env: { RATE_LIMITS: 'on' } };
describeContract('removals by the shared secret', few, ({ server, clock }) => {
  test('are few for each client; those that the pinned key signs are not counted among them', async () => {
    const ids = Array.from({ length: 5 }, () => freshId());
    for (const id of ids) await ping(server, id, 201);
    for (const id of ids.slice(0, 3)) await hide(server, id);
    const refused = await remove(server, ids[3] ?? '');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await expectError(server, refused, 429, 'rate_limited');
    const key = generateNodeKey();
    await pin(server, ids[4] ?? '', key);
    const path = `/api/mesh/nodes/${ids[4]}`;
    const signed = await sendSigned(server, path, { method: 'DELETE', key, now: clock.now });
    expect(signed.status).toBe(204);
  });
});

describe('on two servers', () => {
  let database: TestDatabase;
  let a: TestServer;
  let b: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ...database.env, RATE_LIMITS: 'off', COMPUTE_LISTING: 'announced' };
    [a, b] = [await startTestServer({ env }), await startTestServer({ env })];
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await database.drop();
  });

  test('a key that was just replaced at the other removes neither the node nor its new pin', async () => {
    const [id, key, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    await pin(a, id, key);
    const body = aPing({ nodeId: id });
    await sendSigned(a, '/api/mesh/ping', { body, key, now: Date.now() });
    await vi.waitFor(async () => {
      expect(await peerIds(b)).toContain(id);
      expect((await getJson(b, `/api/mesh/nodes/${id}/key`)).key).toBe(nodeKeyText(key));
    }, SOON);
    const rotation = rotationTo(next, {
      network: a.url,
      nodeId: id,
      previous: key,
      now: Date.now(),
    });
    const path = `/api/mesh/nodes/${id}`;
    const rotated = await sendSigned(a, `${path}/key`, {
      method: 'PUT',
      body: rotation,
      key,
      now: Date.now(),
    });
    expect(rotated.status).toBe(200);
    // Server b still holds the old pin.
    const attack = await sendSigned(b, path, { method: 'DELETE', key, now: Date.now() });
    await expectError(b, attack, 401, 'signature_required');
    const { db } = a.database;
    expect(await db.select().from(peers).where(eq(peers.id, id))).toHaveLength(1);
    const pins = await db.select().from(nodeKeys).where(eq(nodeKeys.id, id));
    expect(pins.map((row) => row.key)).toEqual([nodeKeyText(next)]);
  });

  test('a pin that was just made at the other refuses the secret', async () => {
    const id = freshId();
    await ping(a, id, 201);
    await vi.waitFor(async () => expect(await peerIds(b)).toContain(id), SOON);
    await pin(a, id, generateNodeKey());
    await expectError(b, await remove(b, id), 401, 'signature_required');
    expect(await peerIds(b)).toContain(id);
  });

  test('a block that was just made at the other keeps what the node has sent', async () => {
    const id = freshId();
    await ping(a, id, 201);
    await vi.waitFor(async () => expect(await peerIds(b)).toContain(id), SOON);
    await a.services.nodes.block({ nodeId: id, reviewer: 'ada', reason: 'test' });
    await expectError(b, await remove(b, id), 403, 'blocked');
    await a.services.nodes.unblock({ nodeId: id, reviewer: 'ada', reason: 'test' });
    expect(await peerIds(a)).toContain(id);
  });

  test('attack: a removal at the one ends no pin of a name that was just accepted at the other', async () => {
    const [id, key] = [freshId(), generateNodeKey()];
    await pin(a, id, key);
    const body = aPing({ nodeId: id });
    await sendSigned(a, '/api/mesh/ping', { body, key, now: Date.now() });
    await vi.waitFor(async () => expect(await peerIds(b)).toContain(id), SOON);
    await activeName(b, { nodeId: id });
    const path = `/api/mesh/nodes/${id}`;
    const removed = await sendSigned(a, path, { method: 'DELETE', key, now: Date.now() });
    expect(removed.status).toBe(204);
    const { db } = a.database;
    expect(await db.select().from(peers).where(eq(peers.id, id))).toEqual([]);
    const pins = await db.select().from(nodeKeys).where(eq(nodeKeys.id, id));
    expect(pins.map((row) => row.key)).toEqual([nodeKeyText(key)]);
  });

  /** As a reviewer does at server a. */
  const removeMatching = (match: string, silentSince: string) =>
    a.services.nodes.removeMatching({
      filter: { match, silentSince },
      expected: 1,
      reason: 'test',
      reviewer: 'ada',
    });

  test('a removal at the one keeps the key of a node that was just blocked at the other', async () => {
    const id = freshId();
    await ping(a, id, 201);
    await pin(a, id, generateNodeKey());
    await vi.waitFor(async () => expect(await peerIds(b)).toContain(id), SOON);
    await b.services.nodes.block({ nodeId: id, reviewer: 'ada', reason: 'test' });
    expect(await removeMatching(id, '')).toBe(1);
    const { db } = a.database;
    expect(await db.select().from(nodeKeys).where(eq(nodeKeys.id, id))).toHaveLength(1);
  });

  test('a node stays whose first offer the other has just stored; without it, all leaves', async () => {
    const id = freshId();
    await ping(a, id, 201);
    const since = new Date(Date.now() + 2).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await announce(b, id);
    expect(await removeMatching(id, since)).toBe(0);
    const { db } = a.database;
    expect(await db.select().from(peers).where(eq(peers.id, id))).toHaveLength(1);
    await announce(b, id);
    expect(await removeMatching(id, '')).toBe(1);
    expect(await db.select().from(computes).where(eq(computes.nodeId, id))).toEqual([]);
  });

  test('a node is hidden on both, comes back on both, and a restart forgets neither', async () => {
    const id = freshId();
    await ping(a, id, 201);
    await announce(a, id);
    await vi.waitFor(async () => expect(await hosts(b)).toContain(id), SOON);
    const answer = await hide(b, id);
    await vi.waitFor(async () => {
      expect(await peerIds(a)).not.toContain(id);
      expect(await hosts(a)).not.toContain(id);
    }, SOON);
    await b.stop();
    b = await startTestServer({ env: { ...database.env, COMPUTE_LISTING: 'announced' } });
    expect(await peerIds(b)).not.toContain(id);
    expect(await hosts(b)).not.toContain(id);
    expect(await hide(b, id)).toEqual(answer);
    await ping(a, id, 200);
    expect(await peerIds(a)).toContain(id);
    await vi.waitFor(async () => {
      expect(await peerIds(b)).toContain(id);
      expect(await hosts(b)).toContain(id);
    }, SOON);
    expect(a.log() + b.log()).not.toContain('loading everything');
  });
});
