import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { accept, reject } from '../support/decisions.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { pin } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aStart, expectError, freshId, type Json } from './contract.ts';

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
  /** As many as a node may have; all but the last one are confirmed. */
  async function fill(nodeId: string): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < OF_NODE; n++) ids.push((await started(await start({ nodeId }))).id);
    for (const id of ids.slice(0, -1)) expect((await confirm(id)).status).toBe(200);
    return ids;
  }
  const expectRefused = async (response: Response, whose: string, maxSeconds = 3600) => {
    const wait = Number(response.headers.get('retry-after'));
    expect(wait >= 1 && wait <= maxSeconds).toBe(true);
    const { error } = await expectError(server, response, 429, 'rate_limited');
    expect(error).toContain(`${whose} already has`);
    // Nothing of the others.
    expect(error).not.toMatch(/reg_|MESH-|name_/);
  };

  test('strangers cannot use up the registrations of the key to which a node is pinned', async () => {
    const nodeId = freshId();
    const key = generateNodeKey();
    await fill(nodeId);
    await pin(server, nodeId, key);
    const startProved = (by: KeyObject) => {
      const body = aStart({ nodeId });
      const { name } = body;
      const proof = { action: 'start', network: server.url, name, nodeId } as const;
      return start({ ...body, proof: signNodeProof(proof, by, clock.read()) });
    };
    for (let n = 0; n < OF_NODE; n++) await started(await startProved(key));
    const whose = `The node “${nodeId}”`;
    await expectRefused(await startProved(key), whose);
    await expectRefused(await startProved(generateNodeKey()), whose);
    await expectRefused(await start({ nodeId }), whose);
  });

  test('ten starts at once for one node end in five registrations', async () => {
    const nodeId = freshId();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        start({ nodeId }, client(), servers[n % servers.length] as TestServer),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(5).fill(429)]);
    await expectRefused(await start({ nodeId }), `The node “${nodeId}”`);
    // A name that was refused is free.
    expect((await start({})).status).toBe(201);
  });

  test('a decision or the end of the reservation makes room for one more', async () => {
    const nodeId = freshId();
    const [first = '', second = '', third = ''] = await fill(nodeId);
    expect((await start({ nodeId })).status).toBe(429);
    await accept(server.services, { id: first, reviewer: 'ada' });
    expect((await start({ nodeId })).status).toBe(201);
    await reject(server.services, { id: second, reviewer: 'ada', reason: 'not paid' });
    expect((await start({ nodeId })).status).toBe(201);
    expect((await start({ nodeId })).status).toBe(429);
    // Confirming what is open already needs no room.
    expect((await confirm(third)).status).toBe(200);
    clock.advance(49 * HOUR);
    expect((await start({ nodeId })).status).toBe(201);
  });

  test('reservations cannot be collected by confirming them after they expired', async () => {
    const nodeId = freshId();
    const early: string[] = [];
    for (let n = 0; n < OF_NODE; n++) early.push((await started(await start({ nodeId }))).id);
    clock.advance(49 * HOUR);
    await fill(nodeId);
    const late = await confirm(early[0] ?? '');
    await expectRefused(late, `The node “${nodeId}”`);
    clock.advance(49 * HOUR);
    expect((await confirm(early[0] ?? '')).status).toBe(200);
    await expectRefused(await confirm(early[1] ?? ''), `The node “${nodeId}”`);
  });

  test('a client may have twenty open, whatever their nodes, and confirm them all', async () => {
    const me = client();
    const ids = await Promise.all(
      Array.from({ length: OF_CLIENT }, async () => (await started(await start({}, me))).id),
    );
    await expectRefused(await start({}, me), 'Your network');
    const typed = await server.post('/api/trpc/registry.start', aStart(), me);
    expect(typed.status).toBe(429);
    expect((await start({})).status).toBe(201);
    for (const id of ids) expect((await confirm(id, me)).status).toBe(200);
    await expectRefused(await start({}, me), 'Your network');
    await reject(server.services, { id: ids[0], reviewer: 'ada', reason: 'not paid' });
    expect((await start({}, me)).status).toBe(201);
    expect((await start({}, me)).status).toBe(429);
  });

  test('starts at once and late confirmations count for the client once each, failed starts not at all', async () => {
    const me = client();
    const taken = aStart();
    expect((await server.post(REGISTER, taken, client())).status).toBe(201);
    const nodeId = freshId();
    for (let n = 0; n < OF_NODE; n++) await started(await start({ nodeId }));
    for (let n = 0; n < OF_CLIENT / 2; n++) {
      expect((await server.post(REGISTER, taken, me)).status).toBe(409);
      expect((await start({ nodeId }, me)).status).toBe(429);
    }
    const responses = await Promise.all(Array.from({ length: OF_CLIENT + 5 }, () => start({}, me)));
    const ids = await Promise.all(
      responses.filter(({ status }) => status === 201).map(async (each) => (await each.json()).id),
    );
    expect(ids).toHaveLength(OF_CLIENT);
    clock.advance(49 * HOUR);
    for (let n = 0; n < OF_CLIENT - 1; n++) expect((await start({}, me)).status).toBe(201);
    const refusedAt = 1;
    expect((await confirm(ids[0], me)).status).toBe(200);
    await expectRefused(await confirm(ids[refusedAt], me), 'Your network');
    // Somebody else's network may still report the payment.
    expect((await confirm(ids[refusedAt])).status).toBe(200);
  });

  test('a start that is sent again gets its first response, even when no other may start', async () => {
    const nodeId = freshId();
    const body = aStart({ nodeId });
    const key = { 'idempotency-key': freshId('key') };
    const me = client(key);
    const first = await started(await server.post(REGISTER, body, me));
    for (let n = 1; n < OF_NODE; n++) expect((await start({ nodeId })).status).toBe(201);
    expect((await start({ nodeId })).status).toBe(429);
    expect(await started(await server.post(REGISTER, body, me))).toEqual(first);
  });

  test('the wizard says why, with the status and what to do', async () => {
    const nodeId = freshId();
    await fill(nodeId);
    const { name, kinds } = aStart();
    const form = new URLSearchParams({ name, node: nodeId, key: freshId('key'), class: 'S' });
    for (const kind of kinds) form.append('kinds', kind);
    const response = await server.get('/register', {
      method: 'POST',
      body: form,
      headers: { origin: server.url },
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await response.text();
    expect(page).toContain(`The node “${nodeId}” already has ${OF_NODE} open registrations`);
  });
});
