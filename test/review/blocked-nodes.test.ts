import type { KeyObject } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeKeys } from '#db/schema/index.ts';
import {
  eventually,
  activeName,
  aCompute,
  aPing,
  expectError,
  freshId,
  getJson,
} from '../contract/contract.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { ProposedBans } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { changesOf } from '../support/changes.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { pin, rotationTo, sendSigned } from '../support/node-keys.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const reviewer = 'ada@example.org';
const because = { reviewer, reason: 'it sends nonsense' };

let database: TestDatabase;
let server: TestServer;
/** A second server on the same database. */
let other: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { ...database.env, RATE_LIMITS: 'off' } as Record<string, string>;
  server = await startTestServer({ env });
  other = await startTestServer({ env });
});
afterAll(async () => {
  await Promise.all([server.stop(), other.stop()]);
  await database.drop();
});

const ping = (id: string, at = server) => at.post('/api/mesh/ping', aPing({ nodeId: id }));
const ids = async (at = server) =>
  (await getJson(at, '/api/mesh')).peers.map(({ id }: { id: string }) => id) as string[];

/** A node with a heartbeat and a listed compute. */
async function aNode() {
  const id = freshId();
  await ping(id);
  const { name } = await activeName(server, { nodeId: id });
  const announce = { nodeId: id, computes: [aCompute({ name })] };
  await server.post('/api/registry/computes', announce);
  return { id, name, announce };
}

describe('a blocked node', () => {
  test('gets 403 from every server and appears in no list and on no page', async () => {
    const { id, name, announce } = await aNode();
    const others = freshId();
    await ping(others);
    await server.services.nodes.block({ nodeId: id, ...because });

    for (const answer of [await ping(id), await server.post('/api/registry/computes', announce)]) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ ok: false, code: 'blocked' });
    }
    const mesh = await getJson(server, '/api/mesh');
    expect(mesh.peers.map((peer: { id: string }) => peer.id)).toContain(others);
    expect(JSON.stringify(mesh)).not.toContain(id);
    expect(mesh.stats.peers).toBe(mesh.peers.length);
    expect(JSON.stringify(await getJson(server, '/api/registry/computes'))).not.toContain(id);
    const { entries } = await getJson(server, '/api/registry');
    const entry = entries.find((each: { name: string }) => each.name === name);
    expect(entry).toMatchObject({ node: null, compute: null });
    const page = await (await server.get(`/nodes/${id}`)).text();
    expect(page).toContain('Reviewers have blocked this node.');
    expect(page).not.toContain(because.reason);

    await eventually(async () => (await ping(id, other)).status, 403);
    expect(await ids(other)).not.toContain(id);
  });

  test('disappears from open event streams, and returns unchanged when it is unblocked', async () => {
    const { id } = await aNode();
    const before = (await getJson(server, '/api/mesh')).peers.find(
      (peer: { id: string }) => peer.id === id,
    );
    const end = new AbortController();
    const changes = changesOf(
      server.services.mesh.changes(server.services.mesh.cursor(), end.signal),
    );
    await server.services.nodes.block({ nodeId: id, ...because });
    expect((await changes.next()).value).toMatchObject({ removed: expect.arrayContaining([id]) });
    await server.services.nodes.unblock({ nodeId: id, ...because });
    expect((await changes.next()).value).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ id })]),
    });
    end.abort();

    const after = (await getJson(server, '/api/mesh')).peers.find(
      (peer: { id: string }) => peer.id === id,
    );
    expect(after).toEqual(before);
    expect((await ping(id)).status).toBe(200);
    await eventually(async () => (await ids(other)).includes(id), true);
  });

  test('is blocked once when two reviewers do it at the same time, and the history has every block and unblock', async () => {
    const id = freshId();
    const results = await Promise.allSettled([
      server.services.nodes.block({ nodeId: id, ...because }),
      other.services.nodes.block({ nodeId: id, ...because }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'already_decided' },
    });
    await server.services.nodes.unblock({ nodeId: id, ...because });
    await expect(server.services.nodes.unblock({ nodeId: id, ...because })).rejects.toMatchObject({
      code: 'already_decided',
    });
    await server.services.nodes.block({ nodeId: id, ...because });
    const rows = await server.database.db.query.reviewActions.findMany({
      where: (row, { eq }) => eq(row.subject, id),
      orderBy: (row, { asc }) => asc(row.at),
    });
    expect(rows.map(({ action }) => action)).toEqual([
      'node_blocked',
      'node_unblocked',
      'node_blocked',
    ]);
  });

  test('may never have sent a heartbeat, is never Genesis, and needs a reason', async () => {
    await expect(
      server.services.nodes.block({ nodeId: 'Genesis', ...because }),
    ).rejects.toMatchObject({ code: 'reserved_node_id' });
    await expect(
      server.services.nodes.block({ nodeId: freshId(), reviewer, reason: ' ' }),
    ).rejects.toMatchObject({ code: 'invalid_body' });
    const id = freshId();
    await server.services.nodes.block({ nodeId: id, ...because });
    expect((await ping(id)).status).toBe(403);
  });

  test('can be blocked only by a reviewer’s form', async () => {
    const id = freshId();
    const { cookie } = await signInReviewer(server.services, { email: 'grace@example.org' });
    const send = (headers: Record<string, string>, fields = {}) =>
      server.get('/review/nodes', {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: server.url, ...headers },
        body: new URLSearchParams({ intent: 'block', nodeId: id, reason: 'spam', ...fields }),
      });
    expect((await send({})).headers.get('location')).toMatch(/^\/review\/sign-in/);
    expect((await send({ cookie, origin: 'https://evil.example' })).status).toBe(403);
    const wrong = await send({ cookie }, { nodeId: 'not an id' });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('value="not an id"');
    expect((await ping(id)).status).toBe(201);
    expect((await send({ cookie })).status).toBe(303);
    expect((await ping(id)).status).toBe(403);
    const page = await (await server.get('/review/nodes', { headers: { cookie } })).text();
    expect(page).toContain('grace@example.org');
  });
});

describe('the proposed bans', () => {
  const download = (headers: Record<string, string> = {}) =>
    server.get('/review/bans.json', { headers, redirect: 'manual' });

  test('have the peer ID of each blocked node that has a key, name the others, and tell no reason', async () => {
    const [pinned, unknown, lifted] = [freshId(), freshId(), freshId()];
    const key = generateNodeKey();
    await pin(server, pinned, key);
    for (const nodeId of [pinned, unknown, lifted])
      await server.services.nodes.block({ nodeId, ...because });
    await server.services.nodes.unblock({ nodeId: lifted, ...because });
    const { cookie } = await signInReviewer(server.services, { email: 'lin@example.org' });
    const answer = await download({ cookie });
    expect(answer.headers.get('content-disposition')).toContain('bans.json');
    const text = await answer.text();
    const { service, bans, notBannable } = ProposedBans.parse(JSON.parse(text));
    expect(service).toBe(server.url);
    const since = expect.any(String) as string;
    expect(bans.filter(({ nodeId }) => nodeId === pinned)).toEqual([
      { nodeId: pinned, peer: peerIdOfKey(nodeKeyText(key)), reason: '', since, until: null },
    ]);
    expect(notBannable.find(({ nodeId }) => nodeId === unknown)?.why).toContain('pinned to no key');
    expect(text).not.toContain(lifted);
    for (const secret of [because.reason, reviewer]) expect(text).not.toContain(secret);
    const page = await (await server.get('/review/nodes', { headers: { cookie } })).text();
    expect(page).toContain('href="/review/bans.json"');
  });

  test('attack: a blocked node cannot leave them by another key, nor by a reset, nor by silence', async () => {
    const nodeId = freshId();
    const [first, second, third] = [generateNodeKey(), generateNodeKey(), generateNodeKey()];
    await pin(server, nodeId, first);
    const rotate = (previous: KeyObject, next: KeyObject) => {
      const now = Date.now();
      return sendSigned(server, `/api/mesh/nodes/${nodeId}/key`, {
        method: 'PUT',
        body: rotationTo(next, { network: server.url, nodeId, previous, now }),
        key: previous,
        now,
      });
    };
    expect((await rotate(first, second)).status).toBe(200);
    await server.services.nodes.block({ nodeId, ...because });
    await expectError(server, await rotate(second, third), 403, 'blocked');
    const { cookie } = await signInReviewer(server.services, { email: 'kim@example.org' });
    const peers = async () => {
      const { bans } = ProposedBans.parse(await (await download({ cookie })).json());
      return bans.filter((ban) => ban.nodeId === nodeId).map(({ peer }) => peer);
    };
    const both = [second, first].map((key) => peerIdOfKey(nodeKeyText(key)));
    expect(await peers()).toEqual(both);
    // Nothing was heard of it for longer than pins are kept.
    const { db } = server.database;
    await db
      .update(nodeKeys)
      .set({ pinnedAt: new Date(0) })
      .where(eq(nodeKeys.id, nodeId));
    const row = server.services.context.live.nodeKeys.get(nodeId);
    if (row)
      server.services.context.live.nodeKeys.apply([
        { ...row, pinnedAt: new Date(0), rev: row.rev + 1 },
      ]);
    await server.services.nodes.removeSilent();
    expect(await peers()).toEqual(both);
    await server.services.identity.reset({ nodeId, ...because });
    expect((await peers()).sort()).toEqual([...both].sort());
  });

  test('are for reviewers only', async () => {
    const answer = await download();
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'unauthorized' });
  });
});
