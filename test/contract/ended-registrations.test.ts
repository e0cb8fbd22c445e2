import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { eq, is, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import * as schema from '#db/schema/index.ts';
import { readEvents } from '#server/network/log-events.ts';
import { accept, reject, revoke } from '../support/decisions.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { pin } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  aStart,
  eventually,
  expectError,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const REGISTER = '/api/registry/register';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** An unpaid registration that ended is removed after this. */
const KEPT = 30 * DAY;
/** By default a name is held for this long. */
const HOLD = 48 * HOUR;
const A_DAY = 6;

const { idempotencyKeys, notificationMessages, notificationTargets, payments, registrations } =
  schema;

describe('registrations that have ended, at two servers', () => {
  const clock = new FakeClock();
  let database: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  const startAnother = () =>
    startTestServer({
      env: { ...database.env, TRUST_PROXY: '1', NEW_REGISTRATIONS_PER_DAY: String(A_DAY) },
      clock: clock.read,
    });
  beforeAll(async () => {
    database = await createTestDatabase();
    [server, other] = [await startAnother(), await startAnother()];
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
    await database.drop();
  });

  let clients = 0;
  const client = () => ({ headers: { 'x-forwarded-for': `203.0.113.${++clients}` } });
  const db = () => server.database.db;
  /** Without a client: no limit holds it back. */
  const start = async (fields: Json = {}): Promise<Json> =>
    server.services.registration.start(aStart(fields) as never);
  const started = async (at: TestServer, body: object, from: RequestInit): Promise<Json> => {
    const response = await at.post(REGISTER, body, from);
    expect(response.status).toBe(201);
    return response.json();
  };
  const cancel = ({ id }: Json) => postJson(server, REGISTER, { action: 'cancel', id }, 200);
  const statusOf = async ({ id }: Json) => (await server.get(`${REGISTER}?id=${id}`)).status;
  const sweep = () => server.services.deleteExpired();
  const inMemory = (at: TestServer) => at.services.context.live.registrations;

  /** Names of the tables that know an id of a registration. */
  async function tablesWith({ id }: Json): Promise<string[]> {
    const found: string[] = [];
    for (const table of Object.values(schema)) {
      if (!is(table, PgTable)) continue;
      const { name, columns } = getTableConfig(table);
      const column =
        columns.find((each) => each.name === 'registrationId') ??
        (table === registrations ? registrations.id : undefined);
      if (!column) continue;
      const rows = await db()
        .select({ one: sql`1` })
        .from(table)
        .where(eq(column, id));
      if (rows.length > 0) found.push(name);
    }
    return found.sort();
  }

  describe('attack: start and cancel in turn', () => {
    test('ends with 429 after as many starts as a client has a day, by REST, the typed API and the wizard', async () => {
      const me = client();
      for (let n = 0; n < A_DAY; n++) {
        const { id } = await (await server.post(REGISTER, aStart(), me)).json();
        expect((await server.post(REGISTER, { action: 'cancel', id }, me)).status).toBe(200);
      }
      const refused = await server.post(REGISTER, aStart(), me);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait > 0 && wait <= 86_400 / A_DAY).toBe(true);
      const { error } = await expectError(server, refused, 429, 'rate_limited');
      expect(error).toContain(`Your network has started ${A_DAY} registrations in a day`);
      expect((await server.post('/api/trpc/registry.start', aStart(), me)).status).toBe(429);
      const { name, nodeId } = aStart();
      const form = { name, node: nodeId, kinds: 'node', class: 'S', key: freshId('key') };
      const page = await server.get('/register', {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { ...me.headers, origin: server.url },
      });
      expect(page.status).toBe(429);
      // Others may start.
      await started(server, aStart(), client());
    });

    test('does not use up the starts of a node’s own key behind the same address', async () => {
      const me = client();
      const nodeId = freshId();
      const key = generateNodeKey();
      await pin(server, nodeId, key);
      const proved = () => {
        const body = aStart({ nodeId });
        const { name } = body;
        const proof = { action: 'start', network: server.url, name, nodeId } as const;
        return { ...body, proof: signNodeProof(proof, key, clock.read()) };
      };
      for (let n = 0; n < A_DAY; n++) await cancel(await started(server, aStart(), me));
      expect((await server.post(REGISTER, aStart(), me)).status).toBe(429);
      for (let n = 0; n < A_DAY; n++) await cancel(await started(server, proved(), me));
      const refused = await server.post(REGISTER, proved(), me);
      const { error } = await expectError(server, refused, 429, 'rate_limited');
      expect(error).toContain('This node’s key has started');
    });

    test('a start that fails or is sent again uses up nothing', async () => {
      const me = client();
      const taken = await start();
      const again = { ...me.headers, 'idempotency-key': freshId('key') };
      const body = aStart();
      for (let n = 0; n < A_DAY + 1; n++) {
        expect((await server.post(REGISTER, aStart({ name: taken.name }), me)).status).toBe(409);
        expect((await server.post(REGISTER, body, { headers: again })).status).toBe(201);
      }
      for (let n = 1; n < A_DAY; n++) await started(server, aStart(), me);
      expect((await server.post(REGISTER, aStart(), me)).status).toBe(429);
      expect((await server.post(REGISTER, body, { headers: again })).status).toBe(201);
    });

    test('leaves nothing in memory, and nothing is loaded at the next start', async () => {
      const before = inMemory(server).size;
      const open = await start();
      for (let n = 0; n < 50; n++) await cancel(await start());
      expect(inMemory(server).size).toBe(before + 1);
      await eventually(() => inMemory(other).get(open.id) !== undefined, true);
      const [{ n } = { n: 0 }] = await db()
        .select({ n: sql<number>`count(*)::int` })
        .from(registrations)
        .where(sql`status <> 'rejected'`);
      await eventually(() => inMemory(other).size, n);
      const later = await startAnother();
      expect(inMemory(later).size).toBe(n);
      await later.stop();
    });
  });

  test('are removed 30 days after their end with all that belongs to them, if nobody reported them as paid', async () => {
    const cancelled = await start();
    const at = new Date(clock.read());
    const target = { kind: 'webhook', address: 'https://example.org/', enabled: true } as const;
    const flags = { onDecision: true, onReturn: true, offlineMinutes: null, updatedAt: at };
    await db()
      .insert(notificationTargets)
      .values({ registrationId: cancelled.id, ...target, ...flags });
    await db()
      .insert(notificationMessages)
      .values({
        ...{ id: freshId('msg'), registrationId: cancelled.id, event: 'test' },
        ...{ body: '{}', createdAt: new Date(at.getTime() + KEPT) },
      });
    await cancel(cancelled);
    const expired = await start();
    clock.advance(HOLD);
    await server.services.registration.endExpired();
    clock.advance(KEPT - HOLD - 1);
    await sweep();
    expect(await tablesWith(cancelled)).toEqual([
      'notification_messages',
      'registration_history',
      'registrations',
    ]);
    clock.advance(2);
    await sweep();
    expect(await tablesWith(cancelled)).toEqual([]);
    expect(await statusOf(cancelled)).toBe(404);
    // It counts from the end of the hold, whenever that was noticed.
    expect(await tablesWith(expired)).toEqual(['registration_history', 'registrations']);
    clock.advance(HOLD);
    await sweep();
    expect(await tablesWith(expired)).toEqual([]);
    expect(await db().select().from(idempotencyKeys)).toEqual([]);
  });

  test('stay if they were reported as paid, if a payment has their note, or if a reviewer touched them', async () => {
    const { services } = server;
    const claimed = await start();
    await services.registration.confirm({ id: claimed.id });
    await cancel(claimed);
    const paid = await start();
    await db()
      .insert(payments)
      .values({
        ...{ id: freshId('D-'), paidAt: new Date(clock.read()), amountCents: 500 },
        ...{ note: paid.paymentNote, noteKey: paid.paymentNote.toUpperCase() },
      });
    await cancel(paid);
    const rejected = await start();
    await reject(services, { id: rejected.id, reviewer: 'ada', reason: 'no payment' });
    const touched = await start();
    await reject(services, { id: touched.id, reviewer: 'ada', reason: 'no payment' });
    await services.review.undo({ note: touched.paymentNote, reviewer: 'ada' });
    await cancel(touched);
    const active = await start();
    await services.registration.confirm({ id: active.id });
    await accept(services, { id: active.id, reviewer: 'ada' });
    clock.advance(1);
    await revoke(services, { id: active.id, reviewer: 'ada', reason: 'a test' });
    clock.advance(KEPT + HOLD + 1);
    const now = new Date(clock.read());
    const wanted = { since: null, until: now, isKnown: () => false, max: 1000 };
    const { events } = await readEvents(db(), wanted);
    await sweep();
    for (const each of [claimed, paid, rejected, touched, active])
      expect(await statusOf(each)).toBe(200);
    // The log's first run compares all of them.
    expect((await readEvents(db(), wanted)).events).toEqual(events);
    expect(events.map(({ event }) => event)).toEqual(['activated', 'revoked']);
  });

  test('a backup that holds old ones is cleaned at the start, whatever their number', async () => {
    const old = new Date(clock.read() - HOLD - KEPT - 1);
    const rows = Array.from({ length: 2500 }, (_, n) => ({
      ...{
        id: `reg_${freshId()}`,
        name: `old-${n}`,
        label: 'old',
        class: 'S' as const,
        region: 'ZZ',
      },
      ...{ nodeId: freshId(), kinds: ['node' as const], status: 'pending_payment' as const },
      ...{ paymentNote: `MESH-old-${n}`, feeCents: 500, createdAt: old, updatedAt: old },
      ...{ expiresAt: new Date(old.getTime() + HOLD), writtenBy: 'a test' },
    }));
    await db().insert(registrations).values(rows);
    await db()
      .insert(schema.nameClaims)
      .values(rows.map(({ name, id }) => ({ name, registrationId: id, claimedAt: old })));
    inMemory(other).apply(
      (await db().select().from(registrations).where(eq(registrations.name, 'old-7'))) as never,
    );
    const later = await startAnother();
    const left = async () =>
      (
        await db()
          .select({ id: registrations.id })
          .from(registrations)
          .where(sql`name like 'old-%'`)
      ).length;
    await eventually(left, 0);
    // The other server held one of them.
    await eventually(() => inMemory(other).get(rows[7]?.id ?? ''), undefined);
    const { name } = rows[7] ?? {};
    expect((await getJson(other, `${REGISTER}?name=${name}`)).available).toBe(true);
    await started(later, aStart({ name }), client());
    await later.stop();
  });

  test('a late confirmation and the removal at once: it is confirmed or gone, never both', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => start()));
    clock.advance(HOLD + KEPT + 1);
    const [answers] = await Promise.all([
      Promise.all(all.map(({ id }) => server.post(REGISTER, { action: 'confirm', id }, client()))),
      sweep(),
    ]);
    for (const [n, answer] of answers.entries()) {
      const confirmed = answer.status === 200;
      expect([200, 404]).toContain(answer.status);
      expect(await statusOf(all[n])).toBe(confirmed ? 200 : 404);
      if (!confirmed) expect(await tablesWith(all[n])).toEqual([]);
    }
  });
});
