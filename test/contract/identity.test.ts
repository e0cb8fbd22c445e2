import type { KeyObject } from 'node:crypto';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { formerKeys, registrations } from '#db/schema/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { pin, rotationTo, sendSigned } from '../support/node-keys.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  aCompute,
  activeName,
  aPing,
  aShownPeer,
  describeContract,
  expectError,
  freshId,
  getJson,
  type Json,
} from './contract.ts';
import { SOON } from '../support/until.ts';

const PING = '/api/mesh/ping';
const COMPUTES = '/api/registry/computes';
const keyPath = (nodeId: string) => `/api/mesh/nodes/${nodeId}/key`;
const keyOf = async (server: TestServer, nodeId: string): Promise<Json> =>
  (await getJson(server, keyPath(nodeId))).key;
const anAnnouncement = (nodeId: string) => ({ nodeId, computes: [aCompute()] });

/** Spaces between the parts of a header, and the padding of base64, are a matter of taste (RFC 8941). */
const meansTheSame = (part: string, before: string, after: string): boolean =>
  part === 'signature'
    ? signatureIn(before).equals(signatureIn(after)) && /^ *node *=:[^:]*: *$/.test(after)
    : withoutSpaces(before) === withoutSpaces(after);
const signatureIn = (header: string) => Buffer.from(header.split(':')[1] ?? '', 'base64');
const withoutSpaces = (text: string) => text.replaceAll(' ', '');

describeContract('signed requests of nodes', { throughRemix: true }, ({ server, clock }) => {
  const key = generateNodeKey();
  const send = (path: string, body: unknown, by: KeyObject = key, method = 'POST') =>
    sendSigned(server, path, { method, body, key: by, now: clock.now });
  const pinned = async (by: KeyObject = key) => {
    const nodeId = freshId();
    await pin(server, nodeId, by);
    return nodeId;
  };

  test('of an id that is pinned to no key are accepted, and pin nothing', async () => {
    const nodeId = freshId();
    expect((await send(PING, aPing({ nodeId }))).status).toBe(201);
    expect((await send(COMPUTES, anAnnouncement(nodeId))).status).toBe(200);
    expect(await getJson(server, keyPath(nodeId))).toEqual({
      ok: true,
      nodeId,
      key: null,
      source: null,
      pinnedAt: null,
    });
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(200);
    // To be removed for good by a key, a node must be pinned to it.
    expect((await send(`/api/mesh/nodes/${nodeId}`, undefined, key, 'DELETE')).status).toBe(200);
  });

  test('speak for a pinned id, and nothing else does', async () => {
    const nodeId = await pinned();
    expect(await getJson(server, keyPath(nodeId))).toEqual({
      ok: true,
      nodeId,
      key: nodeKeyText(key),
      source: 'registration',
      pinnedAt: clock.iso(),
    });
    const stranger = generateNodeKey();
    const bodies = [
      [PING, aPing({ nodeId })],
      [COMPUTES, anAnnouncement(nodeId)],
    ] as const;
    for (const [path, body] of bodies) {
      const unsigned = await server.post(path, body);
      expect(unsigned.headers.get('www-authenticate')).toBe('Signature');
      expect(unsigned.headers.get('accept-signature')).toContain('tag="mesh-node"');
      await expectError(server, unsigned, 401, 'signature_required');
      await expectError(server, await send(path, body, stranger), 401, 'signature_required');
    }
    expect(server.services.mesh.peer(nodeId)).toBeNull();
    for (const [path, body] of bodies) expect((await send(path, body)).ok).toBe(true);

    const removal = `/api/mesh/nodes/${nodeId}`;
    const unsigned = await server.get(removal, { method: 'DELETE' });
    await expectError(server, unsigned, 401, 'signature_required');
    const other = await send(removal, undefined, stranger, 'DELETE');
    await expectError(server, other, 401, 'signature_required');
    expect((await send(removal, undefined, key, 'DELETE')).status).toBe(204);
  });

  test('count once', async () => {
    const nodeId = await pinned();
    const body = JSON.stringify(aPing({ nodeId }));
    const url = new URL(PING, server.url);
    const headers = {
      'content-type': 'application/json',
      ...signRequest({ method: 'POST', url, body }, key, clock.now),
    };
    const again = () => server.get(PING, { method: 'POST', body, headers });
    const answers = await Promise.all([again(), again(), again()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    clock.advance(299_000);
    const { error } = await expectError(server, await again(), 401, 'signature_invalid');
    expect(error).toContain('was used before');
    clock.advance(2000);
    await expectError(server, await again(), 401, 'signature_invalid');
  });

  test.each([
    [301, /made 301 s ago by our clock/],
    [-301, /made 301 s in the future by our clock/],
  ])('that are %i s old by the service’s clock say so', async (ageS, message) => {
    const nodeId = await pinned();
    const now = clock.now - ageS * 1000;
    const answer = await sendSigned(server, PING, { body: aPing({ nodeId }), key, now });
    const { error } = await expectError(server, answer, 401, 'signature_invalid');
    expect(error).toMatch(message);
    const near = clock.now - Math.sign(ageS) * 300_000;
    const close = await sendSigned(server, PING, { body: aPing({ nodeId }), key, now: near });
    expect(close.status).toBe(201);
  });

  test('are checked whatever the id, and before the body', async () => {
    const headers = { 'content-digest': 'sha-256=:AAAA:' };
    for (const body of [aPing(), { nodeId: 'x' }, {}, [], null]) {
      const signed = { body, key, now: clock.now, headers };
      await expectError(server, await sendSigned(server, PING, signed), 401, 'signature_invalid');
    }
    await expectError(server, await send(PING, { nodeId: 5 }), 400, 'invalid_body', [
      'nodeId',
      'lat',
      'lng',
    ]);
  });

  test('say why they are refused: a header too many, a label beside another', async () => {
    const body = JSON.stringify(aPing());
    const headers = signRequest(
      { method: 'POST', url: new URL(PING, server.url), body },
      key,
      clock.now,
    );
    const refusal = async (change: Record<string, string>) => {
      const sent = { 'content-type': 'application/json', ...headers, ...change };
      const answer = await server.get(PING, { method: 'POST', body, headers: sent });
      return (await expectError(server, answer, 401, 'signature_invalid')).error as string;
    };
    const input = headers['signature-input'] ?? '';
    const tooMany = input.replace(')', ' "content-type")');
    expect(await refusal({ 'signature-input': tooMany })).toContain('and nothing else');
    const others = {
      'signature-input': `proxy=("@method");created=1;keyid="x";tag="web-bot-auth", ${input.replace('node=', 'sig1=')}`,
      signature: `proxy=:AAAA:, ${headers['signature']?.replace('node=', 'sig1=')}`,
    };
    expect(await refusal(others)).toContain('the one of the node has the label "node"');
  });

  test('with another tag are none of ours', async () => {
    const foreign = {
      'signature-input': 'sig1=("@method");created=1;keyid="x";tag="web-bot-auth"',
      signature: 'sig1=:AAAA:',
    };
    const nodeId = await pinned();
    const answer = await server.post(PING, aPing({ nodeId }), { headers: foreign });
    await expectError(server, answer, 401, 'signature_required');
    expect((await server.post(PING, aPing(), { headers: foreign })).status).toBe(201);
  });

  test('a change of any part is never accepted, and never our failure', async () => {
    const nodeId = await pinned();
    const text = JSON.stringify(aPing({ nodeId }));
    const url = new URL(PING, server.url);
    const parts = fc.constantFrom('signature', 'signature-input', 'content-digest', 'body');
    const change = fc.record({
      at: fc.nat(),
      with: fc.oneof(
        fc.string({ unit: fc.constantFrom(...'aB3+/=:;,"()-_@ '), maxLength: 3 }),
        fc.constant(''),
      ),
      removed: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(parts, change, async (part, { at, with: inserted, removed }) => {
        const signed = signRequest({ method: 'POST', url, body: text }, key, clock.now);
        const before = part === 'body' ? text : (signed[part] ?? '');
        const from = at % (before.length + 1);
        const after = before.slice(0, from) + inserted + before.slice(from + removed);
        fc.pre(after !== before);
        fc.pre(part === 'body' || !meansTheSame(part, before, after));
        const body = part === 'body' ? after : text;
        const headers = { ...signed, ...(part === 'body' ? {} : { [part]: after }) };
        const answer = await server.get(PING, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', ...headers },
        });
        const { code } = (await answer.json()) as { code?: string };
        expect([400, 401]).toContain(answer.status);
        expect(['signature_invalid', 'signature_required', 'invalid_json']).toContain(code);
      }),
      { numRuns: rounds(150) },
    );
    expect(server.services.mesh.peer(nodeId)).toBeNull();
  });
});

describeContract('POST /api/mesh/ping?dry=1', {}, ({ server, clock }) => {
  const key = generateNodeKey();

  test('checks everything and stores nothing', async () => {
    const nodeId = freshId();
    const body = aPing({ nodeId, lat: 37.74, label: 'gärage', ip: '203.0.113.7' });
    for (const dry of ['1', 'true']) {
      const answer = await server.post(`${PING}?dry=${dry}`, body);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          ok: true,
          dryRun: true,
          isNew: true,
          message: 'This heartbeat would be accepted. Nothing was stored.',
          peer: { ...aShownPeer(nodeId, clock.iso()), label: 'gärage' },
          dropped: ['ip'],
          nextPingMs: 20_000,
        },
      ]);
    }
    expect(server.services.mesh.peer(nodeId)).toBeNull();
    expect((await server.post(`${PING}?dry=0`, body)).status).toBe(201);
    clock.advance(1000);
    const known = await server.post(`${PING}?dry=1`, aPing({ nodeId, region: 'EU' }));
    expect(await known.json()).toMatchObject({
      isNew: false,
      peer: { label: 'gärage', region: 'EU', joinedAt: clock.iso(-1000), lastSeen: clock.iso() },
    });
    expect(server.services.mesh.peer(nodeId)?.region).toBe('NA');
  });

  test('shows a known node as the same heartbeat would, with what it leaves out', async () => {
    const nodeId = freshId();
    const known = { label: 'garage', class: 'L', region: 'EU' };
    expect((await server.post(PING, aPing({ nodeId, ...known }))).status).toBe(201);
    clock.advance(1000);
    const shown = async (path: string): Promise<unknown> =>
      (await (await server.post(path, aPing({ nodeId, status: 'idle' }))).json()).peer;
    const dry = await shown(`${PING}?dry=1`);
    expect(dry).toMatchObject({ ...known, status: 'idle' });
    expect(dry).toEqual(await shown(PING));
  });

  test('is refused for what a heartbeat is refused for', async () => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    const path = `${PING}?dry=1`;
    await expectError(
      server,
      await server.post(path, aPing({ nodeId })),
      401,
      'signature_required',
    );
    const signed = await sendSigned(server, path, { body: aPing({ nodeId }), key, now: clock.now });
    expect(signed.status).toBe(200);
    await expectError(server, await server.post(path, aPing({ lat: 91 })), 400, 'invalid_body', [
      'lat',
    ]);
    for (const query of ['dry=yes', 'dry=1&dry=1'])
      await expectError(
        server,
        await server.post(`${PING}?${query}`, aPing()),
        400,
        'invalid_query',
        ['dry'],
      );
    const blocked = freshId();
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'spam' });
    const answer = await server.post(path, aPing({ nodeId: blocked }));
    await expectError(server, answer, 403, 'blocked');
  });
});

const firstUse = { env: { NODE_KEYS: 'first-use' } };
describeContract('NODE_KEYS=first-use', firstUse, ({ server, clock }) => {
  const key = generateNodeKey();
  const send = (path: string, body: unknown, by = key) =>
    sendSigned(server, path, { body, key: by, now: clock.now });

  test.each([
    [PING, (nodeId: string) => aPing({ nodeId })],
    [COMPUTES, anAnnouncement],
  ])('the first signed request to %s pins an id', async (path, bodyOf) => {
    const nodeId = freshId();
    expect((await server.post(path, bodyOf(nodeId))).ok).toBe(true);
    expect(await keyOf(server, nodeId)).toBeNull();
    expect((await send(path, bodyOf(nodeId))).ok).toBe(true);
    expect(await getJson(server, keyPath(nodeId))).toMatchObject({
      key: nodeKeyText(key),
      source: 'first_use',
    });
    await expectError(server, await server.post(path, bodyOf(nodeId)), 401, 'signature_required');
    const other = await send(path, bodyOf(nodeId), generateNodeKey());
    await expectError(server, other, 401, 'signature_required');
  });

  test('of several keys at once one is pinned, and the others are refused', async () => {
    const nodeId = freshId();
    const keys = Array.from({ length: 5 }, generateNodeKey);
    const answers = await Promise.all(keys.map((by) => send(PING, aPing({ nodeId }), by)));
    const winners = keys.filter((_, at) => answers[at]?.ok);
    expect(winners.map(nodeKeyText)).toEqual([await keyOf(server, nodeId)]);
    for (const answer of answers)
      if (!answer.ok) await expectError(server, answer, 401, 'signature_required');
  });

  test('what is refused or dry pins nothing', async () => {
    const nodeId = freshId();
    expect((await send(PING, aPing({ nodeId, lat: 91 }))).status).toBe(400);
    expect((await send(`${PING}?dry=1`, aPing({ nodeId }))).status).toBe(200);
    expect(await keyOf(server, nodeId)).toBeNull();
  });
});

describeContract('PUT /api/mesh/nodes/:id/key', {}, ({ server, clock }) => {
  const put = (nodeId: string, body: unknown, by: KeyObject) =>
    sendSigned(server, keyPath(nodeId), { method: 'PUT', body, key: by, now: clock.now });
  const rotation = (nodeId: string, previous: KeyObject, next: KeyObject, network = server.url) =>
    rotationTo(next, { network, nodeId, previous, now: clock.now });
  const setUp = async () => {
    const [nodeId, old, next] = [freshId(), generateNodeKey(), generateNodeKey()] as const;
    await pin(server, nodeId, old);
    return { nodeId, old, next };
  };

  test('replaces the key, which from then on is the only one', async () => {
    const { nodeId, old, next } = await setUp();
    clock.advance(5000);
    const answer = await put(nodeId, rotation(nodeId, old, next), old);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ok: true,
        nodeId,
        key: nodeKeyText(next),
        source: 'rotation',
        pinnedAt: clock.iso(),
      },
    ]);
    const ping = (by: KeyObject) =>
      sendSigned(server, PING, { body: aPing({ nodeId }), key: by, now: clock.now });
    await expectError(server, await ping(old), 401, 'signature_required');
    expect((await ping(next)).status).toBe(201);
  });

  test('asked again: right for the new key, refused for the old one', async () => {
    const { nodeId, old, next } = await setUp();
    const body = rotation(nodeId, old, next);
    expect((await put(nodeId, body, old)).status).toBe(200);
    await expectError(server, await put(nodeId, body, old), 401, 'signature_required');
    expect(await (await put(nodeId, body, next)).json()).toMatchObject({
      key: nodeKeyText(next),
    });
  });

  test('of two rotations at once one wins', async () => {
    const { nodeId, old, next } = await setUp();
    const keys = [next, generateNodeKey()];
    const answers = await Promise.all(
      keys.map((to) => put(nodeId, rotation(nodeId, old, to), old)),
    );
    const winners = keys.filter((_, at) => answers[at]?.ok);
    expect(winners.map(nodeKeyText)).toEqual([await keyOf(server, nodeId)]);
  });

  test('needs the old key, and a proof by the new one for this node and network', async () => {
    const { nodeId, old, next } = await setUp();
    const body = rotation(nodeId, old, next);
    const other = generateNodeKey();
    const refusals: [Promise<Response>, string][] = [
      [server.get(keyPath(nodeId), jsonPut(body)), 'signature_required'],
      [put(nodeId, body, next), 'signature_required'],
      [put(nodeId, { ...body, key: nodeKeyText(other) }, old), 'signature_invalid'],
      [put(nodeId, { ...rotation(nodeId, old, other), key: body.key }, old), 'signature_invalid'],
      [put(nodeId, rotation(freshId(), old, next), old), 'signature_invalid'],
      [put(nodeId, rotation(nodeId, other, next), old), 'signature_invalid'],
      [put(nodeId, rotation(nodeId, old, next, 'https://other.example'), old), 'signature_invalid'],
    ];
    for (const [answer, code] of refusals) await expectError(server, await answer, 401, code);
    // The signature is another's, over the same payload.
    const { proof } = body;
    const [signature] = rotation(nodeId, old, other).proof.signatures;
    const forged = { ...body, proof: { ...proof, signatures: [signature] } };
    await expectError(server, await put(nodeId, forged, old), 401, 'signature_invalid');
    await expectError(server, await put(nodeId, { key: 'x' }, old), 400, 'invalid_body', [
      'key',
      'proof',
    ]);
    expect(await keyOf(server, nodeId)).toBe(nodeKeyText(old));
  });

  test('needs a pin, and an id', async () => {
    const [nodeId, old, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    const answer = await put(nodeId, rotation(nodeId, old, next), old);
    await expectError(server, answer, 409, 'invalid_state');
    const unsigned = await server.get(keyPath(nodeId), jsonPut(rotation(nodeId, old, next)));
    await expectError(server, unsigned, 401, 'signature_required');
    await expectError(server, await server.get(keyPath('a.b')), 404, 'not_found');
  });

  test('registrations that the old key has proved follow, and no others of the node', async () => {
    const { nodeId, old, next } = await setUp();
    const { context, registration } = server.services;
    const stranger = nodeKeyText(generateNodeKey());
    const provedBy = async (proofKey: string | null) => {
      const { id } = await activeName(server, { nodeId });
      await context.db.update(registrations).set({ proofKey }).where(eq(registrations.id, id));
      return id as string;
    };
    const ids = [await provedBy(nodeKeyText(old)), await provedBy(stranger), await provedBy(null)];
    expect((await put(nodeId, rotation(nodeId, old, next), old)).status).toBe(200);
    const rows = await Promise.all(ids.map((id) => registration.row(id)));
    expect(rows.map(({ proofKey }) => proofKey)).toEqual([nodeKeyText(next), stranger, null]);
    const [proved = ''] = ids;
    expect(context.live.registrations.get(proved)?.proofKey).toBe(nodeKeyText(next));
  });
});

const jsonPut = (body: unknown) => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

describeContract('the pin of a node', {}, ({ server, clock }) => {
  const key = generateNodeKey();
  const pinnedNode = async () => {
    const nodeId = freshId();
    await pin(server, nodeId, key);
    const answer = await sendSigned(server, PING, { body: aPing({ nodeId }), key, now: clock.now });
    expect(answer.status).toBe(201);
    return nodeId;
  };
  const remove = async (nodeId: string) => {
    clock.advance(1000);
    await server.services.nodes.remove(nodeId, nodeKeyText(key));
  };

  test('goes with the node, and its id may be pinned again', async () => {
    const nodeId = await pinnedNode();
    await remove(nodeId);
    expect(await keyOf(server, nodeId)).toBeNull();
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(201);
    const other = generateNodeKey();
    await pin(server, nodeId, other);
    expect(await keyOf(server, nodeId)).toBe(nodeKeyText(other));
  });

  test('stays with an active name', async () => {
    const nodeId = await pinnedNode();
    await activeName(server, { nodeId });
    await remove(nodeId);
    expect(await keyOf(server, nodeId)).toBe(nodeKeyText(key));
  });

  test('is forgotten in time where there is no node', async () => {
    const [gone, named] = [freshId(), freshId()];
    for (const nodeId of [gone, named]) await pin(server, nodeId, key);
    await activeName(server, { nodeId: named });
    clock.advance(29 * 86_400_000);
    await server.services.nodes.removeSilent();
    expect(await keyOf(server, gone)).not.toBeNull();
    clock.advance(2 * 86_400_000);
    await server.services.nodes.removeSilent();
    expect(await keyOf(server, gone)).toBeNull();
    expect(await keyOf(server, named)).not.toBeNull();
  });
});

describe('two servers on one database', () => {
  let database: TestDatabase;
  let one: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ...database.env, NODE_KEYS: 'first-use' } as Record<string, string>;
    [one, other] = [await startTestServer({ env }), await startTestServer({ env })];
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  test('a pin, its rotation and its end on one hold on the other', async () => {
    const [nodeId, key, next] = [freshId(), generateNodeKey(), generateNodeKey()];
    const ping = (at: TestServer, by?: KeyObject) =>
      by
        ? sendSigned(at, PING, { body: aPing({ nodeId }), key: by, now: Date.now() })
        : at.post(PING, aPing({ nodeId }));
    expect((await ping(one, key)).status).toBe(201);
    await vi.waitFor(async () => expect((await ping(other)).status).toBe(401), SOON);
    expect((await ping(other, key)).status).toBe(200);
    const rotation = { network: other.url, nodeId, previous: key, now: Date.now() };
    const rotated = await sendSigned(other, keyPath(nodeId), {
      method: 'PUT',
      body: rotationTo(next, rotation),
      key,
      now: Date.now(),
    });
    expect(rotated.status).toBe(200);
    await vi.waitFor(async () => expect((await ping(one, next)).status).toBe(200), SOON);
    await one.services.identity.reset({ nodeId, reviewer: 'ada', reason: 'lost' });
    await vi.waitFor(async () => expect(await keyOf(other, nodeId)).toBeNull(), SOON);
    expect((await ping(other)).status).toBe(200);
  });

  test('of two keys that claim an id at the same time, one on each, one is pinned', async () => {
    const nodeId = freshId();
    const keys = [generateNodeKey(), generateNodeKey()];
    const answers = await Promise.all(
      [one, other].map((at, n) =>
        sendSigned(at, PING, {
          body: aPing({ nodeId }),
          key: keys[n] ?? generateNodeKey(),
          now: Date.now(),
        }),
      ),
    );
    const winners = keys.filter((_, at) => answers[at]?.ok);
    expect(winners).toHaveLength(1);
    for (const at of [one, other])
      await vi.waitFor(
        async () => expect([await keyOf(at, nodeId)]).toEqual(winners.map(nodeKeyText)),
        SOON,
      );
  });
});

describe('limits', () => {
  test('wrong signatures count as wrong credentials; a script with the right secret does not', async () => {
    const server = await startTestServer({ env: { WEBHOOK_SECRET: 'right' } });
    try {
      const nodeId = freshId();
      const key = generateNodeKey();
      await pin(server, nodeId, key);
      const secret = { authorization: 'Bearer right' };
      for (let i = 0; i < 70; i++) {
        const answer = await server.post(PING, aPing({ nodeId }), { headers: secret });
        expect(answer.status).toBe(401);
      }
      const forged = () =>
        sendSigned(server, PING, {
          body: aPing({ nodeId }),
          key: generateNodeKey(),
          now: Date.now(),
          headers: secret,
        });
      const statuses = [];
      for (let i = 0; i < 61; i++) statuses.push((await forged()).status);
      expect([...new Set(statuses.slice(0, 60))]).toEqual([401]);
      expect(statuses[60]).toBe(429);
      // The node itself goes on, from the same network.
      const own = await sendSigned(server, PING, {
        body: aPing({ nodeId }),
        key,
        now: Date.now(),
        headers: secret,
      });
      expect(own.status).toBe(201);
    } finally {
      await server.stop();
    }
  });

  test('a node replaces its key twenty times in a day: the keys it had are kept as long as the node', async () => {
    const server = await startTestServer();
    try {
      const nodeId = freshId();
      let key = generateNodeKey();
      await pin(server, nodeId, key);
      const rotate = async () => {
        const next = generateNodeKey();
        const now = Date.now();
        const body = rotationTo(next, { network: server.url, nodeId, previous: key, now });
        const answer = await sendSigned(server, keyPath(nodeId), { method: 'PUT', body, key, now });
        if (answer.ok) key = next;
        return answer;
      };
      for (let n = 0; n < 20; n++) expect((await rotate()).status).toBe(200);
      await expectError(server, await rotate(), 429, 'rate_limited');
      expect(await keyOf(server, nodeId)).toBe(nodeKeyText(key));
      const { live } = server.services.context;
      expect(live.formerKeys.size).toBe(20);
      const ping = { body: aPing({ nodeId }), key, now: Date.now() };
      expect((await sendSigned(server, PING, ping)).status).toBe(201);
      await server.services.nodes.remove(nodeId, nodeKeyText(key));
      expect(live.formerKeys.size).toBe(0);
      expect(await server.database.db.select().from(formerKeys)).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  test('whoever has no key cannot use up the heartbeats of a pinned node', async () => {
    const server = await startTestServer({
      env: { WEBHOOK_SECRET: 'right' },
      limits: { node: { points: 20, seconds: 60 } },
    });
    try {
      const nodeId = freshId();
      const key = generateNodeKey();
      await pin(server, nodeId, key);
      const headers = { authorization: 'Bearer right' };
      const attempts = Array.from({ length: 40 }, () =>
        server.post(PING, aPing({ nodeId }), { headers }),
      );
      for (const answer of await Promise.all(attempts)) expect(answer.status).toBe(401);
      const body = aPing({ nodeId });
      const own = await sendSigned(server, PING, { body, key, now: Date.now(), headers });
      expect(own.status).toBe(201);
    } finally {
      await server.stop();
    }
  });
});
