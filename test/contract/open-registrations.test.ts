import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { accept, reject } from '../support/decisions.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { pin, sendSigned } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aPing, aStart, eventually, expectError, freshId, type Json } from './contract.ts';

const REGISTER = '/api/registry/register';
const HOUR = 3_600_000;
/** The defaults. */
const OF_NODE = 5;
const OF_CLIENT = 20;

let address = 0;
/** Headers of a new client. */
const client = (headers: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': `203.0.113.${++address}`, ...headers },
});

describe('open registrations of two servers', () => {
  let database: TestDatabase;
  const clock = new FakeClock();
  const servers: TestServer[] = [];
  let server: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ...database.env, TRUST_PROXY: '1' };
    while (servers.length < 2) servers.push(await startTestServer({ env, clock: clock.read }));
    server = servers[0] as TestServer;
  });
  afterAll(async () => {
    for (const each of servers) await each.stop();
    await database.drop();
  });

  const start = (fields: object, me: RequestInit = client(), at = server) =>
    at.post(REGISTER, aStart(fields as Record<string, unknown>), me);
  const confirm = (id: string, me: RequestInit = client()) =>
    server.post(REGISTER, { action: 'confirm', id }, me);
  const started = async (response: Response): Promise<Json> => {
    expect(response.status).toBe(201);
    return response.json();
  };
  const ofNode = (nodeId: string) => `For the node “${nodeId}”, your network already has`;
  const ofClient = 'Your network already has';
  /** As many as a client may have of one node; all but the last one are confirmed. */
  async function fill(nodeId: string, me = client()): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < OF_NODE; n++) ids.push((await started(await start({ nodeId }, me))).id);
    for (const id of ids.slice(0, -1)) expect((await confirm(id, me)).status).toBe(200);
    return ids;
  }
  const startProved = (nodeId: string, by: KeyObject, me = client(), at = server) => {
    const body = aStart({ nodeId });
    const { name } = body;
    const proof = { action: 'start', network: at.url, name, nodeId } as const;
    return start({ ...body, proof: signNodeProof(proof, by, clock.read()) }, me, at);
  };
  const expectRefused = async (response: Response, whose: string, maxSeconds = 3600) => {
    const wait = Number(response.headers.get('retry-after'));
    expect(wait >= 1 && wait <= maxSeconds).toBe(true);
    const { error } = await expectError(server, response, 429, 'rate_limited');
    expect(error).toContain(whose);
    // Nothing of the others.
    expect(error).not.toMatch(/reg_|MESH-|name_/);
  };

  test('attack: six anonymous starts for a node refuse neither its operator nor anybody else', async () => {
    const nodeId = freshId();
    const stranger = client();
    for (let n = 0; n < OF_NODE; n++) await started(await start({ nodeId }, stranger));
    await expectRefused(await start({ nodeId }, stranger), ofNode(nodeId));
    await started(await start({ nodeId }));
    await started(await startProved(nodeId, generateNodeKey()));
  });

  test.each([
    ['to which the node is pinned', pin],
    [
      'that signs its heartbeats',
      async (_: TestServer, nodeId: string, key: KeyObject) => {
        const sent = { key, now: clock.read(), body: aPing({ nodeId }) };
        expect((await sendSigned(server, '/api/mesh/ping', sent)).status).toBe(201);
      },
    ],
  ])(
    'attack: strangers behind the operator’s address cannot use up what the key may start %s',
    async (_, own) => {
      const nodeId = freshId();
      const key = generateNodeKey();
      const shared = client();
      await own(server, nodeId, key);
      for (let n = 0; n < OF_CLIENT; n++)
        await started(await start({ nodeId: n < OF_NODE ? nodeId : freshId() }, shared));
      await expectRefused(await start({ nodeId }, shared), ofClient);
      // A key that isn't the node's counts as none.
      await expectRefused(await startProved(nodeId, generateNodeKey(), shared), ofClient);
      for (let n = 0; n < OF_NODE; n++) await started(await startProved(nodeId, key, shared));
      await expectRefused(
        await startProved(nodeId, key),
        `The key of the node “${nodeId}” already has`,
      );
      // What the key has started counts for no client.
      await expectRefused(await start({ nodeId }, shared), ofClient);
      await started(await start({ nodeId }));
    },
  );

  test('attack: keys of any number of nodes hold no more names for one client than one without keys', async () => {
    const me = client();
    const enliven = async (nodeId = freshId(), key = generateNodeKey()) => {
      const sent = { key, now: clock.read(), body: aPing({ nodeId }) };
      expect((await sendSigned(server, '/api/mesh/ping', sent)).ok).toBe(true);
      return [nodeId, key] as const;
    };
    const nodes: (readonly [string, KeyObject])[] = [];
    const early: Json[] = [];
    for (let n = 0; n < OF_CLIENT; n++) {
      const node = await enliven();
      nodes.push(node);
      early.push(await started(await startProved(...node, me)));
    }
    const one = await enliven();
    await expectRefused(await startProved(...one, me), 'Keys of nodes in your network');
    // Neither holds back the other: what isn't proved, what a reviewer has accepted, and who is elsewhere.
    await started(await start({}, me));
    const known = freshId();
    const key = generateNodeKey();
    await pin(server, known, key);
    await started(await startProved(known, key, me));
    await started(await startProved(...one));
    await reject(server.services, { id: early[0]?.id, reviewer: 'ada', reason: 'not paid' });
    await started(await startProved(...one, me));
    // Nor by confirming them late.
    clock.advance(49 * HOUR);
    for (let n = 0; n < OF_CLIENT; n++) await started(await startProved(...(await enliven()), me));
    const [again] = nodes.slice(1);
    await enliven(again?.[0], again?.[1]);
    await expectRefused(await confirm(early[1]?.id, me), 'Keys of nodes in your network');
  });

  test('a name that is held unpaid stays held, whoever asks for it', async () => {
    const nodeId = freshId();
    const key = generateNodeKey();
    await pin(server, nodeId, key);
    const body = aStart({ nodeId });
    await started(await start(body));
    const proof = { action: 'start', network: server.url, name: body.name, nodeId } as const;
    const proved = { ...body, proof: signNodeProof(proof, key, clock.read()) };
    await expectError(server, await start(proved), 409, 'name_taken', ['name']);
    clock.advance(49 * HOUR);
    const again = { ...body, proof: signNodeProof(proof, key, clock.read()) };
    await started(await start(again));
  });

  test('of ten starts at once by one key, at two servers, five become registrations', async () => {
    const nodeId = freshId();
    const key = generateNodeKey();
    await pin(server, nodeId, key);
    const pinnedAt = (at: TestServer | undefined) => at?.services.identity.pinOf(nodeId)?.key;
    await eventually(() => pinnedAt(servers[1]), nodeKeyText(key));
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        startProved(nodeId, key, client(), servers[n % servers.length]),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(5).fill(429)]);
  });

  test('of ten starts at once by one client for one node, five become registrations', async () => {
    const nodeId = freshId();
    const me = client();
    const responses = await Promise.all(Array.from({ length: 10 }, () => start({ nodeId }, me)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(5).fill(429)]);
    // A name that was refused is free.
    expect((await start({})).status).toBe(201);
  });

  test('a decision or the end of the reservation makes room for one more', async () => {
    const nodeId = freshId();
    const me = client();
    const again = () => start({ nodeId }, me);
    const [first = '', second = '', third = ''] = await fill(nodeId, me);
    expect((await again()).status).toBe(429);
    await accept(server.services, { id: first, reviewer: 'ada' });
    expect((await again()).status).toBe(201);
    await reject(server.services, { id: second, reviewer: 'ada', reason: 'not paid' });
    expect((await again()).status).toBe(201);
    expect((await again()).status).toBe(429);
    // Confirming what is open already needs no room.
    expect((await confirm(third, me)).status).toBe(200);
    clock.advance(49 * HOUR);
    expect((await again()).status).toBe(201);
  });

  test('reservations cannot be collected by confirming them after they expired', async () => {
    const nodeId = freshId();
    const me = client();
    const early: string[] = [];
    for (let n = 0; n < OF_NODE; n++) early.push((await started(await start({ nodeId }, me))).id);
    clock.advance(49 * HOUR);
    await fill(nodeId, me);
    await expectRefused(await confirm(early[0] ?? '', me), ofNode(nodeId));
    clock.advance(49 * HOUR);
    expect((await confirm(early[0] ?? '', me)).status).toBe(200);
    await expectRefused(await confirm(early[1] ?? '', me), ofNode(nodeId));
  });

  test('nor those that the node’s key has proved', async () => {
    const nodeId = freshId();
    const key = generateNodeKey();
    await pin(server, nodeId, key);
    const early: string[] = [];
    for (let n = 0; n < OF_NODE; n++)
      early.push((await started(await startProved(nodeId, key))).id);
    clock.advance(49 * HOUR);
    for (let n = 0; n < OF_NODE; n++) await started(await startProved(nodeId, key));
    await expectRefused(
      await confirm(early[0] ?? ''),
      `The key of the node “${nodeId}” already has`,
    );
    clock.advance(49 * HOUR);
    expect((await confirm(early[0] ?? '')).status).toBe(200);
  });

  test('a client may have twenty open, whatever their nodes, and confirm them all', async () => {
    const me = client();
    const ids = await Promise.all(
      Array.from({ length: OF_CLIENT }, async () => (await started(await start({}, me))).id),
    );
    await expectRefused(await start({}, me), ofClient);
    const typed = await server.post('/api/trpc/registry.start', aStart(), me);
    expect(typed.status).toBe(429);
    expect((await start({})).status).toBe(201);
    for (const id of ids) expect((await confirm(id, me)).status).toBe(200);
    await expectRefused(await start({}, me), ofClient);
    await reject(server.services, { id: ids[0], reviewer: 'ada', reason: 'not paid' });
    expect((await start({}, me)).status).toBe(201);
    expect((await start({}, me)).status).toBe(429);
  });

  test('starts at once and late confirmations count for the client once each, failed starts not at all', async () => {
    const me = client();
    const taken = aStart();
    expect((await server.post(REGISTER, taken, client())).status).toBe(201);
    const nodeId = freshId();
    const first = await fill(nodeId, me);
    for (let n = 0; n < OF_CLIENT / 2; n++) {
      expect((await server.post(REGISTER, taken, me)).status).toBe(409);
      expect((await start({ nodeId }, me)).status).toBe(429);
    }
    const responses = await Promise.all(Array.from({ length: OF_CLIENT + 5 }, () => start({}, me)));
    const ids = await Promise.all(
      responses.filter(({ status }) => status === 201).map(async (each) => (await each.json()).id),
    );
    expect(ids).toHaveLength(OF_CLIENT - OF_NODE);
    for (const id of first.slice(0, -1))
      await reject(server.services, { id, reviewer: 'ada', reason: 'not paid' });
    clock.advance(49 * HOUR);
    for (let n = 0; n < OF_CLIENT - 1; n++) expect((await start({}, me)).status).toBe(201);
    const refusedAt = 1;
    expect((await confirm(ids[0], me)).status).toBe(200);
    await expectRefused(await confirm(ids[refusedAt], me), ofClient);
    // Somebody else's network may still report the payment.
    expect((await confirm(ids[refusedAt])).status).toBe(200);
  });

  test('attack: late confirmations of names that others hold use up nothing', async () => {
    const me = client();
    const other = client();
    const early: Json[] = [];
    for (let n = 0; n < OF_CLIENT; n++) early.push(await started(await start({}, me)));
    clock.advance(49 * HOUR);
    for (const { name } of early) await started(await start({ name }, other));
    for (const { id } of early)
      await expectError(server, await confirm(id, me), 409, 'name_taken', ['name']);
    for (let n = 0; n < OF_CLIENT; n++) await started(await start({}, me));
    await expectRefused(await start({}, me), ofClient);
  });

  test('a start that is sent again gets its first response, even when no other may start', async () => {
    const nodeId = freshId();
    const body = aStart({ nodeId });
    const key = { 'idempotency-key': freshId('key') };
    const me = client(key);
    const first = await started(await server.post(REGISTER, body, me));
    const others = { headers: { ...me.headers, 'idempotency-key': '' } };
    const again = () => {
      others.headers['idempotency-key'] = freshId('key');
      return start({ nodeId }, others);
    };
    for (let n = 1; n < OF_NODE; n++) expect((await again()).status).toBe(201);
    expect((await again()).status).toBe(429);
    expect(await started(await server.post(REGISTER, body, me))).toEqual(first);
  });

  test('the wizard says why, with the status and what to do', async () => {
    const nodeId = freshId();
    const me = client();
    await fill(nodeId, me);
    const { name, kinds } = aStart();
    const form = new URLSearchParams({ name, node: nodeId, key: freshId('key'), class: 'S' });
    for (const kind of kinds) form.append('kinds', kind);
    const response = await server.get('/register', {
      method: 'POST',
      body: form,
      headers: { ...me.headers, origin: server.url },
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await response.text();
    expect(page).toContain(`${ofNode(nodeId)} ${OF_NODE} open registrations`);
  });
});
