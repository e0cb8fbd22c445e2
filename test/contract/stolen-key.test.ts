import type { KeyObject } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { idempotencyKeys } from '#db/schema/index.ts';
import { lockNode } from '#server/identity/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { accept } from '../support/decisions.ts';
import { rotationTo, sendSigned } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';
import {
  aCompute,
  aPing,
  aStart,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const PING = '/api/mesh/ping';
const REGISTER = '/api/registry/register';
const keyPath = (nodeId: string) => `/api/mesh/nodes/${nodeId}/key`;
const registrationsPath = (nodeId: string) => `/api/mesh/nodes/${nodeId}/registrations`;
const ADA = 'ada@example.org';
const reason = 'the key was stolen; called back';

/** What the holder of a key, and of nothing else, can do at a service. */
function holderOf(key: KeyObject) {
  const send = (at: TestServer, path: string, method: string, body?: Json) =>
    sendSigned(at, path, { method, ...(body && { body }), key, now: Date.now() });
  const proof = (at: TestServer, action: 'start' | 'confirm' | 'cancel', fields: Json) => {
    const { name, nodeId, id } = fields;
    const network = at.url;
    return signNodeProof(
      action === 'start'
        ? { action, network, name, nodeId }
        : { action, network, name, nodeId, id },
      key,
    );
  };
  return {
    text: nodeKeyText(key),
    ping: (at: TestServer, nodeId: string) => send(at, PING, 'POST', aPing({ nodeId })),
    announce: (at: TestServer, nodeId: string) =>
      send(at, '/api/registry/computes', 'POST', { nodeId, computes: [aCompute()] }),
    list: (at: TestServer, nodeId: string) => send(at, registrationsPath(nodeId), 'GET'),
    claim: (at: TestServer, { nodeId, id }: Json) =>
      send(at, registrationsPath(nodeId), 'POST', { id }),
    rotate: (at: TestServer, nodeId: string, next: KeyObject) =>
      send(
        at,
        keyPath(nodeId),
        'PUT',
        rotationTo(next, { network: at.url, nodeId, previous: key, now: Date.now() }),
      ),
    remove: (at: TestServer, nodeId: string) => send(at, `/api/mesh/nodes/${nodeId}`, 'DELETE'),
    start: (at: TestServer, fields: Json) => {
      const body = aStart(fields);
      return at.post(REGISTER, { ...body, proof: proof(at, 'start', body) });
    },
    act: (at: TestServer, action: 'confirm' | 'cancel', registration: Json) =>
      at.post(REGISTER, {
        action,
        id: registration.id,
        proof: proof(at, action, registration),
      }),
  };
}

/** With NODE_KEYS=first-use, where a thief has one more way to a pin. */
describe('the thief of a node’s key, after a reviewer has reset it', () => {
  let database: TestDatabase;
  let one: TestServer;
  let other: TestServer;
  const start = () =>
    startTestServer({ env: { ...database.env, NODE_KEYS: 'first-use', RATE_LIMITS: 'off' } });
  beforeAll(async () => {
    database = await createTestDatabase();
    [one, other] = [await start(), await start()];
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  const pinned = async (at: TestServer, nodeId: string) =>
    (await getJson(at, keyPath(nodeId))).key as string | null;
  const registered = async (by: KeyObject, nodeId: string): Promise<Json> => {
    const started = await holderOf(by).start(one, { nodeId });
    expect(started.status).toBe(201);
    const { id }: Json = await started.json();
    return postJson(one, REGISTER, { action: 'confirm', id }, 200);
  };
  /** A node that is pinned to the key that has proved its active name and its waiting registration. */
  const stolen = async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const active = await registered(key, nodeId);
    await accept(one.services, { id: active.id, reviewer: ADA });
    const waiting = await registered(key, nodeId);
    await vi.waitFor(async () => expect(await pinned(other, nodeId)).not.toBeNull(), SOON);
    return { nodeId, thief: holderOf(key), active, waiting };
  };
  const reset = (nodeId: string) => one.services.identity.reset({ nodeId, reviewer: ADA, reason });

  test('finds the key refused and the links dead, on every server, also after a restart', async () => {
    const { nodeId, thief, active, waiting } = await stolen();
    await reset(nodeId);
    for (const at of [one, other]) {
      await expectError(at, await thief.list(at, nodeId), 401, 'signature_invalid');
      await expectError(at, await thief.start(at, { nodeId }), 401, 'signature_invalid');
      for (const { id } of [active, waiting])
        await expectError(at, await at.get(`${REGISTER}?id=${id}`), 404, 'not_found');
    }
    // A server reads once a second what others have written.
    await vi.waitFor(async () => expect((await thief.ping(other, nodeId)).status).toBe(401), SOON);
    await other.stop();
    other = await start();
    for (const at of [one, other]) {
      const refusals = [
        thief.ping(at, nodeId),
        thief.announce(at, nodeId),
        thief.list(at, nodeId),
        thief.start(at, { nodeId }),
        thief.remove(at, nodeId),
        thief.rotate(at, nodeId, generateNodeKey()),
      ];
      for (const answer of refusals) {
        const { error } = await expectError(at, await answer, 401, 'signature_invalid');
        expect(error).toContain('A reviewer has revoked this key');
      }
      for (const registration of [active, waiting]) {
        const { id } = registration;
        for (const action of ['confirm', 'cancel'] as const) {
          await expectError(at, await thief.act(at, action, registration), 404, 'not_found');
          await expectError(at, await at.post(REGISTER, { action, id }), 404, 'not_found');
        }
        for (const page of [`/register/${id}`, `/register/${id}/notifications`])
          expect((await at.get(page)).status).toBe(404);
      }
      await expectError(at, await thief.claim(at, active), 401, 'signature_invalid');
      expect(await pinned(at, nodeId)).toBeNull();
    }
  });

  test('pins the node with no key of theirs: only a reviewer does, to the key that the owner has proved', async () => {
    const { nodeId, active, waiting } = await stolen();
    await reset(nodeId);
    // With another key, and another registration that a reviewer accepts.
    const again = generateNodeKey();
    const rival = await registered(again, nodeId);
    await accept(one.services, { id: rival.id, reviewer: ADA });
    expect((await holderOf(again).ping(one, nodeId)).ok).toBe(true);
    expect(await pinned(one, nodeId)).toBeNull();
    // Nor does each of its heartbeats wait for whoever holds the node's lock.
    await one.services.context.db.transaction(async (tx) => {
      await lockNode(tx, nodeId);
      expect((await holderOf(again).ping(one, nodeId)).ok).toBe(true);
    });
    await vi.waitFor(async () => expect(await pinned(other, nodeId)).toBeNull(), SOON);

    // The owner gets the links from the reviewer, and proves the registrations with a new key.
    const { renewed } = await one.services.identity.keysOf(nodeId);
    expect(renewed).toMatchObject([
      { name: active.name, note: active.paymentNote, status: 'active' },
      { name: waiting.name, note: waiting.paymentNote, status: 'pending_review' },
    ]);
    const key = generateNodeKey();
    const owner = holderOf(key);
    for (const { secretId: id } of renewed) {
      const claimed = await owner.claim(other, { nodeId, id });
      expect([claimed.status, await claimed.json()]).toEqual([
        200,
        // The node’s heartbeats are still signed by another key.
        expect.objectContaining({ id, nodeProved: false }),
      ]);
    }
    expect(await pinned(one, nodeId)).toBeNull();
    const { proving, renewed: left } = await other.services.identity.keysOf(nodeId);
    expect(left).toEqual([]);
    expect(proving.map(({ key, names }) => [key, names.map(({ name }) => name).sort()])).toEqual(
      expect.arrayContaining([
        [owner.text, [active.name, waiting.name].sort()],
        [nodeKeyText(again), [rival.name]],
      ]),
    );
    const pin = (nodeKey: string) =>
      other.services.identity.pin({ nodeId, key: nodeKey, reviewer: ADA, reason: 'called back' });
    await expect(pin(nodeKeyText(generateNodeKey()))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await pin(owner.text);
    for (const { secretId } of renewed)
      expect(await other.services.registration.get(secretId)).toMatchObject({ nodeProved: true });
    await expect(pin(owner.text)).rejects.toMatchObject({ code: 'already_decided' });
    expect(await getJson(other, keyPath(nodeId))).toMatchObject({
      key: owner.text,
      source: 'review',
    });
    await vi.waitFor(
      async () => expect((await holderOf(again).ping(one, nodeId)).status).toBe(401),
      SOON,
    );
    expect((await owner.ping(one, nodeId)).ok).toBe(true);
  });

  test('a node without active names is pinned by the next accepted registration, as any other', async () => {
    const [nodeId, key, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    const waiting = await registered(key, nodeId);
    const { identity } = one.services;
    await identity.reset({ nodeId, key: nodeKeyText(key), reviewer: ADA, reason });
    const [link] = (await identity.keysOf(nodeId)).renewed;
    const id = link?.secretId ?? '';
    const refused = await holderOf(key).claim(one, { nodeId, id });
    await expectError(one, refused, 401, 'signature_invalid');
    expect((await one.get(`${REGISTER}?id=${waiting.id}`)).status).toBe(404);
    expect((await holderOf(next).claim(one, { nodeId, id })).status).toBe(200);
    await accept(one.services, { id, reviewer: ADA });
    expect(await getJson(one, keyPath(nodeId))).toMatchObject({
      key: nodeKeyText(next),
      source: 'registration',
      revoked: [nodeKeyText(key)],
    });
  });

  test('has rotated the key before: the earlier ones, which the owner still has, are revoked too', async () => {
    const { nodeId, thief, active } = await stolen();
    const next = generateNodeKey();
    expect((await thief.rotate(one, nodeId, next)).status).toBe(200);
    await reset(nodeId);
    for (const holder of [thief, holderOf(next)])
      await expectError(one, await holder.list(one, nodeId), 401, 'signature_invalid');
    const { renewed } = await one.services.identity.keysOf(nodeId);
    const [link] = renewed.filter(({ name }) => name === active.name);
    const claimed = await thief.claim(one, { nodeId, id: link?.secretId });
    await expectError(one, claimed, 401, 'signature_invalid');
    expect((await getJson(one, keyPath(nodeId))).revoked).toEqual(
      [thief.text, nodeKeyText(next)].sort(),
    );
  });

  test('has read the links before the owner replaced the key: revoking it ends them, and the owner lists new ones', async () => {
    const { nodeId, thief, active, waiting } = await stolen();
    const next = generateNodeKey();
    const owner = holderOf(next);
    expect((await thief.rotate(one, nodeId, next)).status).toBe(200);
    await one.services.identity.reset({ nodeId, key: thief.text, reviewer: ADA, reason });
    for (const { id } of [active, waiting])
      await expectError(one, await one.get(`${REGISTER}?id=${id}`), 404, 'not_found');
    expect(await pinned(one, nodeId)).toBe(owner.text);
    const { registrations }: Json = await (await owner.list(one, nodeId)).json();
    expect(registrations).toHaveLength(2);
    for (const { id } of registrations as Json[])
      expect(await getJson(one, `${REGISTER}?id=${id}`)).toMatchObject({ nodeProved: true });
  });

  test('what they do while the reviewer resets leaves nothing proved by their key', async () => {
    const { nodeId, thief, active, waiting } = await stolen();
    const plain = await postJson(one, REGISTER, aStart({ nodeId }), 201);
    await Promise.all([
      reset(nodeId),
      thief.claim(other, plain),
      thief.act(other, 'confirm', plain),
      thief.start(other, { nodeId }),
      thief.rotate(other, nodeId, generateNodeKey()),
      thief.act(other, 'cancel', waiting),
      thief.list(other, nodeId),
    ]);
    const keys = await one.services.identity.keysOf(nodeId);
    // The rotation may have been first: then its key was pinned, and is the one that was revoked.
    expect(keys.pinned).toBeNull();
    expect(keys.proving).toEqual([]);
    expect(keys.former.map(({ key }) => key)).toContain(thief.text);
    expect(keys.former.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
    const [link] = keys.renewed.filter(({ name }) => name === active.name);
    expect(link?.secretId).not.toBe(active.id);
  });

  test('a claim waits for a reset that is being committed, and is then refused', async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const body = aStart({ nodeId });
    const headers = { 'idempotency-key': freshId('a-key-of-its-own') };
    const known: Json = await (await one.post(REGISTER, body, { headers })).json();
    const plain = await postJson(one, REGISTER, aStart({ nodeId }), 201);
    const thief = holderOf(key);
    expect((await thief.claim(one, known)).status).toBe(200);
    const { identity, context } = one.services;
    const waiting = async () => {
      const found: unknown = await context.db.execute(
        sql`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return (found as Json)[0].n;
    };
    const [answer] = await context.db.transaction(async (tx) => {
      // The reset has revoked the key and read whose proofs to take away, and waits here.
      await tx
        .select()
        .from(idempotencyKeys)
        .where(eq(idempotencyKeys.registrationId, known.id))
        .for('update');
      const resetting = identity.reset({ nodeId, key: thief.text, reviewer: ADA, reason });
      await vi.waitFor(async () => expect(await waiting()).toBe(1), SOON);
      const claiming = thief.claim(other, plain);
      const done = await Promise.race([
        claiming,
        vi.waitFor(async () => expect(await waiting()).toBe(2), SOON),
      ]);
      expect(done).not.toBeInstanceOf(Response);
      return [claiming.then((claimed) => resetting.then(() => claimed))];
    });
    await expectError(other, await answer, 401, 'signature_invalid');
    expect((await identity.keysOf(nodeId)).proving).toEqual([]);
  });

  test('the history, the notifications and the name stay with the registration', async () => {
    const { nodeId, active } = await stolen();
    const { registration, notifications } = one.services;
    const before = await registration.status(active.id);
    await notifications.save(await registration.row(active.id), {
      ...{ id: active.id, kind: 'ntfy', address: 'https://ntfy.example.org/garage' },
      ...{ onDecision: true, onOffline: true, offlineMinutes: 15, onReturn: true },
    });
    const names = await getJson(other, '/api/registry');
    await reset(nodeId);
    const [link] = (await one.services.identity.keysOf(nodeId)).renewed;
    const id = link?.secretId ?? '';
    const after = await registration.status(id);
    expect(after.timeline).toEqual(before.timeline);
    expect(after.registration).toMatchObject({ name: active.name, status: 'active', id });
    const page = await one.get(`/register/${id}/notifications`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('ntfy.example.org');
    expect((await getJson(other, '/api/registry')).count).toBe(names.count);
    expect((await getJson(one, `${REGISTER}?name=${active.name}`)).available).toBe(false);
    // The secret is the operator's: no server has logged it.
    for (const at of [one, other]) expect(at.log()).not.toContain(id);
  });

  test('a start that is sent again does not give the old link back', async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const body = aStart({ nodeId });
    const headers = { 'idempotency-key': freshId('a-key-of-its-own') };
    const send = () => one.post(REGISTER, body, { headers });
    const registration: Json = await (await send()).json();
    expect((await holderOf(key).claim(one, registration)).status).toBe(200);
    await postJson(one, REGISTER, { action: 'confirm', id: registration.id }, 200);
    await accept(one.services, { id: registration.id, reviewer: ADA });
    expect(await (await send()).json()).toEqual(registration);
    await reset(nodeId);
    await expectError(one, await send(), 409, 'name_taken', ['name']);
  });
});
