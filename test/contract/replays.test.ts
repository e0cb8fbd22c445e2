import type { KeyObject } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { nodeSigners, spentSignatures } from '#db/schema/index.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { pin, sendSigned } from '../support/node-keys.ts';
import { sendRaw, signByHand } from '../support/rfc9421.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { SOON } from '../support/until.ts';
import { aCompute, aPing, describeContract, freshId } from './contract.ts';

const PING = '/api/mesh/ping';
const COMPUTES = '/api/registry/computes';
const MINUTE = 60_000;

/** A request that somebody has recorded, and can send as often as they like. */
function recorded(
  server: Pick<TestServer, 'url'>,
  key: KeyObject,
  now: number,
  body: object,
  { path = PING, nonce }: { path?: string; nonce?: string } = {},
) {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = signByHand({
    method: 'POST',
    path,
    authority: new URL(server.url).host,
    body: bytes,
    key,
    created: Math.floor(now / 1000),
    ...(nonce !== undefined && { nonce }),
  });
  return (at: Pick<TestServer, 'url'> = server) =>
    sendRaw(`${at.url}${path}`, 'POST', bytes, headers);
}

const lastSeen = (server: TestServer, nodeId: string) =>
  server.services.context.live.peers.get(nodeId)?.lastSeen.getTime();

describeContract('a heartbeat that is sent again', {}, ({ server, clock }) => {
  const send = (key: KeyObject, body: object, nonce?: string) =>
    recorded(server, key, clock.now, body, nonce === undefined ? {} : { nonce });

  test('counts once, however many come at the same time', async () => {
    const replay = send(generateNodeKey(), aPing());
    const answers = await Promise.all(Array.from({ length: 10 }, () => replay()));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 401),
    ]);
    clock.advance(4 * MINUTE);
    expect(await replay()).toMatchObject({ status: 401, json: { code: 'signature_invalid' } });
  });

  test('counts once among announcements, too, and the two know nothing of each other', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    const replay = recorded(
      server,
      key,
      clock.now,
      { nodeId, computes: [aCompute()] },
      { path: COMPUTES },
    );
    expect((await replay()).status).toBe(200);
    expect((await replay()).status).toBe(401);
    // The agent sends both at the same time, so a heartbeat may have been signed before the announcement.
    const earlier = recorded(server, key, clock.now - 2000, aPing({ nodeId }));
    expect((await earlier()).status).toBe(201);
  });

  test('does not bring back a node that its operator has removed', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    await pin(server, nodeId, key);
    const replay = send(key, aPing({ nodeId }));
    expect((await replay()).status).toBe(201);
    clock.advance(1000);
    const removal = { method: 'DELETE', key, now: clock.now };
    expect((await sendSigned(server, `/api/mesh/nodes/${nodeId}`, removal)).status).toBe(204);
    const { identity } = server.services;
    for (const minutes of [0, 1, 3]) {
      clock.advance(minutes * MINUTE);
      await identity.forgetSigners();
      expect((await replay()).status).toBe(401);
    }
    expect(lastSeen(server, nodeId)).toBeUndefined();
    // When nothing that it refuses could count any more, the row goes.
    clock.advance(12 * MINUTE);
    await identity.forgetSigners();
    const { db } = server.database;
    expect(await db.select().from(nodeSigners).where(eq(nodeSigners.id, nodeId))).toEqual([]);
    expect(server.services.context.live.nodeSigners.get(nodeId)).toBeUndefined();
    expect((await replay()).json.error).toMatch(/s ago by our clock/);
    expect((await send(key, aPing({ nodeId }))()).status).toBe(201);
  });

  test('does not count after another key has signed for the node', async () => {
    const nodeId = freshId();
    const [key, other] = [generateNodeKey(), generateNodeKey()];
    const replay = send(key, aPing({ nodeId }));
    expect((await replay()).status).toBe(201);
    expect((await send(other, aPing({ nodeId }))()).status).toBe(200);
    expect((await replay()).status).toBe(401);
    // Neither keeps the other from going on.
    for (const by of [key, other, key]) {
      clock.advance(1000);
      expect((await send(by, aPing({ nodeId, status: 'idle' }))()).status).toBe(200);
    }
  });

  test('uses up none of the heartbeats that the node may send', async () => {
    const limited = await startTestServer({ limits: { node: { points: 5, seconds: 60 } } });
    try {
      const [key, nodeId] = [generateNodeKey(), freshId()];
      await pin(limited, nodeId, key);
      const replay = recorded(limited, key, Date.now(), aPing({ nodeId }));
      expect((await replay()).status).toBe(201);
      for (let n = 0; n < 20; n++) expect((await replay()).status).toBe(401);
      const own = recorded(limited, key, Date.now() + 1000, aPing({ nodeId }));
      expect((await own()).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describeContract('signed heartbeats', {}, ({ server, clock }) => {
  test('of a clock that is wrong by less than five minutes go on', async () => {
    for (const offMs of [-299_000, 299_000]) {
      const [key, nodeId] = [generateNodeKey(), freshId()];
      for (let n = 0; n < 5; n++) {
        const answer = await recorded(server, key, clock.now + offMs, aPing({ nodeId }))();
        expect(answer.status).toBe(n === 0 ? 201 : 200);
        clock.advance(20_000);
      }
    }
  });

  test('of a clock that was set back are refused with what to do, until it has caught up', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    const at = (now: number) => recorded(server, key, now, aPing({ nodeId }))();
    expect((await at(clock.now)).status).toBe(201);
    const early = await at(clock.now - 60_000);
    expect(early).toMatchObject({ status: 401, json: { code: 'signature_invalid' } });
    expect(early.json.error).toMatch(/set your clock back/);
    expect((await at(clock.now + 1000)).status).toBe(200);
  });

  test('are 32 in a second at most, and the next second has room again', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    const at = (now: number) => recorded(server, key, now, aPing({ nodeId }))();
    for (let n = 0; n < 32; n++) expect((await at(clock.now)).status).toBeLessThan(300);
    const over = await at(clock.now);
    expect(over).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(over.headers.get('retry-after')).toBe('1');
    expect((await at(clock.now + 1000)).status).toBe(200);
    expect((await at(clock.now)).status).toBe(401);
  });

  test('that are dry are checked, and use up nothing', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    const body = Buffer.from(JSON.stringify(aPing({ nodeId })));
    const headers = signByHand({
      method: 'POST',
      path: PING,
      authority: new URL(server.url).host,
      body,
      key,
      created: Math.floor(clock.now / 1000),
    });
    const ping = (query: string) => sendRaw(`${server.url}${PING}${query}`, 'POST', body, headers);
    for (const query of ['?dry=1', '?dry=1']) expect((await ping(query)).status).toBe(200);
    expect(server.services.context.live.nodeSigners.get(nodeId)).toBeUndefined();
    expect((await ping('')).status).toBe(201);
    expect((await ping('?dry=1')).status).toBe(401);
  });
});

describeContract('the last signer of a node', {}, ({ server, clock }) => {
  const last = (nodeId: string) => server.services.identity.lastSigner(nodeId);
  const later = () => {
    clock.advance(20_000);
    return clock.now;
  };

  test('is the key of its last heartbeat, since the first of its run, or nobody', async () => {
    const nodeId = freshId();
    const [key, other] = [generateNodeKey(), generateNodeKey()];
    const ping = async (by?: KeyObject) => {
      const now = later();
      const body = aPing({ nodeId });
      const { ok } = by
        ? await sendSigned(server, PING, { body, key: by, now })
        : await server.post(PING, body);
      expect(ok).toBe(true);
      return now;
    };
    expect(last(nodeId)).toBeNull();
    const first = await ping();
    expect(last(nodeId)).toEqual({ key: null, since: first, at: first });
    const next = await ping();
    expect(last(nodeId)).toEqual({ key: null, since: first, at: next });
    const since = await ping(key);
    const at = await ping(key);
    expect(last(nodeId)).toEqual({ key: nodeKeyText(key), since, at, before: null });
    const others = await ping(other);
    expect(last(nodeId)).toEqual({
      key: nodeKeyText(other),
      since: others,
      at: others,
      before: nodeKeyText(key),
    });
    const unsigned = await ping();
    const still = await ping();
    expect(last(nodeId)).toEqual({
      key: null,
      since: unsigned,
      at: still,
      before: nodeKeyText(other),
    });
    // A run that was interrupted begins anew.
    const again = await ping(other);
    const goesOn = await ping(other);
    expect(last(nodeId)).toEqual({
      key: nodeKeyText(other),
      since: again,
      at: goesOn,
      before: null,
    });
    const ended = await ping(key);
    expect(last(nodeId)).toEqual({
      key: nodeKeyText(key),
      since: ended,
      at: ended,
      before: nodeKeyText(other),
    });
  });

  test('that comes unsigned is written once, and lets no signature count again', async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const replay = recorded(server, key, later(), aPing({ nodeId }));
    expect((await replay()).status).toBe(201);
    const rev = () => server.services.context.live.nodeSigners.get(nodeId)?.rev ?? 0;
    const before = rev();
    for (let n = 0; n < 3; n++) {
      later();
      expect((await server.post(PING, aPing({ nodeId }))).status).toBe(200);
    }
    expect(rev()).toBe(before + 1);
    expect((await replay()).status).toBe(401);
  });

  test('of one that only announces is that of its announcements', async () => {
    const [nodeId, key] = [freshId(), generateNodeKey()];
    const body = { nodeId, computes: [aCompute()] };
    const at = later();
    expect((await sendSigned(server, COMPUTES, { body, key, now: at })).status).toBe(200);
    expect(last(nodeId)).toEqual({ key: nodeKeyText(key), since: at, at });
    const unsigned = later();
    expect((await server.post(COMPUTES, body)).status).toBe(200);
    const signedBefore = { before: nodeKeyText(key) };
    expect(last(nodeId)).toEqual({ key: null, since: unsigned, at: unsigned, ...signedBefore });
  });
});

describeContract('claims, removals, rotations and proofs', {}, ({ server, clock }) => {
  const key = generateNodeKey();
  const list = (nodeId: string, now: number) => {
    const path = `/api/mesh/nodes/${nodeId}/registrations`;
    const headers = signByHand({
      method: 'GET',
      path,
      authority: new URL(server.url).host,
      body: null,
      key,
      created: Math.floor(now / 1000),
    });
    return () => sendRaw(`${server.url}${path}`, 'GET', null, headers);
  };
  const proofOf = (name: string, nodeId: string, now = clock.now) =>
    signNodeProof({ action: 'start', network: server.url, name, nodeId }, key, now);

  test('that were signed before the service started are refused, with a hint to sign again', async () => {
    const before = clock.now - 60_000;
    const nodeId = freshId();
    const listed = await list(nodeId, before)();
    expect(listed).toMatchObject({ status: 401, json: { code: 'signature_invalid' } });
    expect(listed.json.error).toMatch(/before the service started. Sign it again/);
    await pin(server, nodeId, key);
    const removal = { method: 'DELETE', key, now: before };
    const removed = await sendSigned(server, `/api/mesh/nodes/${nodeId}`, removal);
    expect((await removed.json()).error).toMatch(/before the service started/);
    const name = freshId('name');
    const start = { action: 'start', name, nodeId, kinds: ['node'] };
    const proof = proofOf(name, nodeId, before);
    const started = await server.post('/api/registry/register', { ...start, proof });
    expect(started.status).toBe(401);
    expect((await started.json()).error).toMatch(/before the service started/);
    // Heartbeats of a slow clock go on, and the same things signed anew are accepted.
    expect((await recorded(server, key, before, aPing({ nodeId }))()).status).toBe(201);
    expect((await list(nodeId, clock.now)()).status).toBe(200);
    const again = { ...start, proof: proofOf(name, nodeId) };
    expect((await server.post('/api/registry/register', again)).status).toBe(201);
  });

  test('count once, also at the same time; a proof again for the same request only', async () => {
    const ask = list(freshId(), clock.now);
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401]);
    const [name, nodeId] = [freshId('name'), freshId()];
    const expected = { action: 'start', network: server.url, name, nodeId } as const;
    const proof = proofOf(name, nodeId);
    const { verifyProof } = server.services.identity;
    for (let n = 0; n < 2; n++)
      expect(await verifyProof(proof, expected, 'a request')).toBe(nodeKeyText(key));
    for (const request of ['another request', undefined])
      await expect(verifyProof(proof, expected, request)).rejects.toMatchObject({
        code: 'signature_invalid',
      });
  });

  test('of one member do not end those of others, however many there are, and leave in time', async () => {
    for (const part of ['a', 'b', 'c', 'd'])
      await server.database.db.execute(sql`
        insert into spent_signatures (id, use, spent_at)
        select ${part} || n, 'flood', to_timestamp(${clock.now / 1000}) from generate_series(1, 30000) n`);
    expect((await list(freshId(), clock.now)()).status).toBe(200);
    clock.advance(16 * MINUTE);
    await server.services.deleteExpired();
    expect(await server.database.db.$count(spentSignatures)).toBe(0);
  });
});

describe('several servers on one database', () => {
  let database: TestDatabase;
  let one: TestServer;
  let other: TestServer;
  const clock = new FakeClock();
  const start = () => startTestServer({ env: database.env, clock: clock.read });
  beforeAll(async () => {
    database = await createTestDatabase();
    [one, other] = [await start(), await start()];
  });
  afterAll(async () => {
    endAllServers();
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  test('accept a heartbeat once, also at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const replay = recorded(one, generateNodeKey(), clock.now, aPing());
      const answers = await Promise.all([one, other, one, other].map(replay));
      const accepted = answers.filter(({ status }) => status < 300);
      expect(accepted).toHaveLength(1);
      for (const { status } of answers) expect([200, 201, 401]).toContain(status);
    }
  });

  test('accept a proof and a listing once between them', async () => {
    const [key, nodeId, name] = [generateNodeKey(), freshId(), freshId('name')];
    const network = 'https://mesh.example';
    const proof = signNodeProof({ action: 'start', network, name, nodeId }, key, clock.now);
    const expected = { action: 'start', network, name, nodeId } as const;
    const verify = (at: TestServer) =>
      at.services.identity.verifyProof(proof, expected).then(
        () => 'accepted',
        (error: { code: string }) => error.code,
      );
    const outcomes = await Promise.all([verify(one), verify(other)]);
    expect(outcomes.sort()).toEqual(['accepted', 'signature_invalid']);
  });

  test('know each other’s signers', async () => {
    const [key, nodeId] = [generateNodeKey(), freshId()];
    await recorded(one, key, clock.now, aPing({ nodeId }))();
    const wanted = { key: nodeKeyText(key), since: clock.now, at: clock.now };
    expect(one.services.identity.lastSigner(nodeId)).toEqual(wanted);
    await vi.waitFor(
      () => expect(other.services.identity.lastSigner(nodeId)).toEqual(wanted),
      SOON,
    );
  });

  test('attack: heartbeats put between those of the node, at another server, don’t prove a stranger’s registration', async () => {
    for (const own of [generateNodeKey(), undefined]) {
      const stranger = generateNodeKey();
      const [nodeId, name] = [freshId(), freshId('name')];
      const beat = async (at: TestServer, by?: KeyObject) => {
        const body = aPing({ nodeId });
        const { status } = await (by
          ? sendSigned(at, PING, { body, key: by, now: clock.now })
          : at.post(PING, body));
        expect([200, 201]).toContain(status);
      };
      await beat(one, own);
      const network = other.url;
      const proof = signNodeProof({ action: 'start', network, name, nodeId }, stranger, clock.now);
      const start = { action: 'start', name, nodeId, kinds: ['node'], proof };
      const started = await other.post('/api/registry/register', start);
      expect(started.status).toBe(201);
      const { id } = (await started.json()) as { id: string };
      const row = (at: TestServer) => at.services.context.live.nodeSigners.get(nodeId)?.rev;
      for (let n = 0; n < 4; n++) {
        clock.advance(15_000);
        await beat(one, own);
        clock.advance(5000);
        await beat(other, stranger);
        // The database decides between keys; only what is unsigned has to know that somebody signs.
        if (!own) await vi.waitFor(() => expect(row(one)).toBe(row(other)), SOON);
        expect(other.services.identity.lastSigner(nodeId)?.since).toBe(clock.now);
        const record = await other.get(`/api/registry/register?id=${id}`);
        expect(await record.json()).toMatchObject({ nodeProved: false });
      }
    }
  });

  test('one that starts later accepts nothing that another has accepted before', async () => {
    const replay = recorded(one, generateNodeKey(), clock.now, aPing());
    expect((await replay()).status).toBe(201);
    const third = await start();
    try {
      expect((await replay(third)).status).toBe(401);
    } finally {
      await third.stop();
    }
  });

  test.each([-10, 10])(
    'accept what is signed from their start on, by the database’s clock: their own is %i minutes off',
    async (minutes) => {
      const key = generateNodeKey();
      const before = Date.now() - 2000;
      const third = await startTestServer({
        env: database.env,
        localClock: () => Date.now() + minutes * MINUTE,
      });
      try {
        const list = (now: number) => {
          const path = `/api/mesh/nodes/${freshId()}/registrations`;
          return sendSigned(third, path, { method: 'GET', key, now });
        };
        expect((await list(Date.now() + 1000)).status).toBe(200);
        const early = await list(before);
        expect(early.status).toBe(401);
        expect((await early.json()).error).toMatch(/before the service started/);
      } finally {
        await third.stop();
      }
    },
  );

  test('accept nothing again after a process was killed', async () => {
    const env = { ...database.env, RATE_LIMITS: 'off' };
    const killed = await startServerProcess(env);
    const key = generateNodeKey();
    const heartbeat = recorded(killed, key, Date.now(), aPing());
    expect((await heartbeat()).status).toBe(201);
    const path = `/api/mesh/nodes/${freshId()}/registrations`;
    const headers = signByHand({
      method: 'GET',
      path,
      authority: new URL(killed.url).host,
      body: null,
      key,
      created: Math.floor(Date.now() / 1000),
    });
    const list = (at: { url: string }) => sendRaw(`${at.url}${path}`, 'GET', null, headers);
    expect((await list(killed)).status).toBe(200);
    await killed.end('SIGKILL');
    const next = await startServerProcess({ ...env, PORT: new URL(killed.url).port });
    try {
      expect(await heartbeat(next)).toMatchObject({
        status: 401,
        json: { code: 'signature_invalid' },
      });
      expect(await list(next)).toMatchObject({ status: 401, json: { code: 'signature_invalid' } });
    } finally {
      await next.end('SIGTERM');
    }
  });
});
