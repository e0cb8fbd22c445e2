import { asc, count, isNull, sql } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { openDatabase, type Db } from '#db/client.ts';
import { notificationMessages, outages } from '#db/schema/index.ts';
import { aPing, eventually, getJson } from './contract/contract.ts';
import { createTestDatabase } from './support/databases.ts';
import { FakeClock } from './support/fake-clock.ts';
import { watchPostgres } from './support/postgres-watch.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 1440 * MINUTE;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function setUp() {
  const database = await createTestDatabase();
  stops.push(() => database.drop());
  const clock = new FakeClock();
  const start = async (env: Record<string, string> = database.env) => {
    const server = await startTestServer({
      clock: clock.read,
      env: { ...env, RATE_LIMITS: 'off' },
    });
    stops.push(() => server.stop());
    await server.services.outages.round();
    return server;
  };
  return { clock, start, database };
}

const ping = (server: TestServer, nodeId: string) =>
  server.post('/api/mesh/ping', aPing({ nodeId }));

/** Lets time pass as the watching server sees it, with a heartbeat of these nodes in each round. */
async function pass(server: TestServer, clock: FakeClock, ms: number, alive: string[] = []) {
  for (let passed = 0; passed < ms; passed += 15 * SECOND) {
    clock.advance(15 * SECOND);
    for (const nodeId of alive) await ping(server, nodeId);
    await server.services.outages.round();
    await server.services.uptime.tick();
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

const stored = ({ database }: TestServer) =>
  database.db.select().from(outages).orderBy(asc(outages.nodeId), asc(outages.offlineSince));

test('five minutes of silence are one outage, from the last heartbeat to the next', async () => {
  const { clock, start } = await setUp();
  const server = await start();
  await ping(server, 'node_a');
  const offlineSince = new Date(clock.read());
  await pass(server, clock, 4.5 * MINUTE);
  expect(await stored(server)).toEqual([]);
  await pass(server, clock, 3 * MINUTE);
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_a', offlineSince, backAt: null }]);

  await ping(server, 'node_a');
  const backAt = new Date(clock.read());
  await server.services.outages.round();
  await pass(server, clock, MINUTE, ['node_a']);
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_a', offlineSince, backAt }]);
});

test('what happened while the service was away is no outage of a node', async () => {
  const { clock, start } = await setUp();
  const first = await start();
  await ping(first, 'node_a');
  await ping(first, 'node_b');
  await first.stop();
  clock.advance(60 * MINUTE);
  const second = await start();
  await pass(second, clock, 4.5 * MINUTE, ['node_a']);
  expect(await stored(second)).toEqual([]);
  await pass(second, clock, MINUTE, ['node_a']);
  const [outage, ...others] = await stored(second);
  expect(others).toEqual([]);
  // Silent since before, but that counts only from when it could be heard.
  expect(outage?.nodeId).toBe('node_b');
  expect(outage?.measuredSince.getTime()).toBeGreaterThan(
    (outage?.offlineSince.getTime() ?? 0) + 59 * MINUTE,
  );
});

test('if all of ten nodes fall silent together, it is the service that hears nobody', async () => {
  const { clock, start } = await setUp();
  const server = await start();
  const nodes = Array.from({ length: 10 }, (_, n) => `node_${n}`);
  await pass(server, clock, MINUTE, nodes);
  await pass(server, clock, 30 * MINUTE);
  expect(await stored(server)).toEqual([]);
  // Nine are heard again. The tenth gets five minutes from then on.
  await pass(server, clock, 4.5 * MINUTE, nodes.slice(1));
  expect(await stored(server)).toEqual([]);
  await pass(server, clock, MINUTE, nodes.slice(1));
  expect(await stored(server)).toMatchObject([{ nodeId: 'node_0' }]);
});

test('one of several servers records, and another goes on when it stops', async () => {
  const { clock, start } = await setUp();
  const [first, second] = [await start(), await start()];
  await ping(first, 'node_a');
  await pass(first, clock, 2 * MINUTE);
  await eventually(() => second.services.mesh.peer('node_a')?.id, 'node_a');
  await second.services.outages.round();
  await first.stop();
  // The silence before counts: nobody was away.
  await pass(second, clock, 3.25 * MINUTE);
  expect(await stored(second)).toMatchObject([{ nodeId: 'node_a', backAt: null }]);
});

test('pages, lists and the history have the same outages, and how long each day was offline', async () => {
  const { clock, start } = await setUp();
  const server = await start();
  const { uptime } = server.services;
  await ping(server, 'node_a');
  await ping(server, 'node_b');
  const from = clock.read();
  await pass(server, clock, 20 * MINUTE, ['node_b']);
  const ofPage = () => uptime.outages('node_a', 1);
  expect(await ofPage()).toMatchObject({
    updatedAt: clock.iso(),
    total: 1,
    latest: [{ from: iso(from), to: null }],
    days: { first: '2026-04-19', before: 89, offline: { length: 90, 89: 20 * 60 } },
  });

  // A heartbeat ends it at once, before anybody has recorded that.
  clock.advance(SECOND);
  await ping(server, 'node_a');
  const to = clock.read();
  clock.advance(SECOND);
  expect((await ofPage()).latest).toEqual([{ from: iso(from), to: iso(to) }]);
  expect((await server.services.nodes.summary('node_a')).lastOutage).toBe(iso(to));
  expect((await server.services.nodes.summary('node_b')).lastOutage).toBeNull();
  await pass(server, clock, 25 * MINUTE, ['node_b']);

  const page = await ofPage();
  // The second one lasts.
  expect((await server.services.nodes.summary('node_a')).lastOutage).toBeNull();
  expect(page).toMatchObject({ total: 2, latest: [{ from: iso(to), to: null }] });
  const offline = 20 * 60 + 1 + 25 * 60 + 1;
  expect(page.days.offline.at(-1)).toBe(offline);
  const strips = await uptime.monthStrips(['node_a', 'node_b', 'node_a', 'node_never']);
  expect([...strips.keys()]).toEqual(['node_a', 'node_b']);
  expect(strips.get('node_a')).toEqual({
    first: '2026-06-18',
    offline: page.days.offline.slice(-30),
    before: 29,
    unmeasured: {},
  });
  expect(strips.get('node_b')?.offline.at(-1)).toBe(0);

  // The history ends with the last quarter.
  const history = (node: string, days: number) =>
    getJson(server, `/api/mesh/history?node=${node}&days=${days}`);
  const recorded = await history('node_a', 30);
  expect(recorded.outages).toEqual([
    { from: iso(to), to: null },
    { from: iso(from), to: iso(to) },
  ]);
  expect(recorded.steps).toMatchObject([
    { offlineSeconds: offline - (clock.read() - Date.parse(recorded.to)) / 1000 },
  ]);
  expect((await history('node_a', 1)).outages).toEqual(recorded.outages);
  expect((await history('node_b', 90)).outages).toEqual([]);
});

test('many nodes are read in one statement, and each once a minute', async () => {
  const { clock, start, database } = await setUp();
  const watch = await watchPostgres(database.env.DATABASE_URL);
  stops.push(() => watch.stop());
  const server = await start({ DATABASE_URL: watch.url });
  const nodes = Array.from({ length: 50 }, (_, n) => `node_${n}`);
  for (const id of nodes) await ping(server, id);
  await server.database.db.insert(outages).values(
    nodes.map((nodeId, n) => ({
      nodeId,
      offlineSince: new Date(clock.now - DAY),
      measuredSince: new Date(clock.now - DAY),
      backAt: new Date(clock.now - DAY + (n + 5) * MINUTE),
    })),
  );
  let reads = 0;
  watch.onDone = (command) => void (reads += Number(/^SELECT 5\d$/.test(command)));
  const strips = () => server.services.uptime.monthStrips(nodes);
  await Promise.all([strips(), strips()]);
  await strips();
  await server.services.uptime.outages('node_7', 1);
  expect(reads).toBe(1);
  clock.advance(MINUTE);
  await strips();
  await expect.poll(() => reads).toBe(2);
});

test('what the database does not answer is unavailable on a page, and left out of a list', async () => {
  const { start, database } = await setUp();
  const watch = await watchPostgres(database.env.DATABASE_URL);
  stops.push(() => watch.stop());
  const server = await start({ DATABASE_URL: watch.url });
  await ping(server, 'node_a');
  watch.onDone = (_, cut) => cut();
  await expect(server.services.uptime.outages('node_a', 1)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await server.services.uptime.monthStrips(['node_a'])).toEqual(new Map());
  await expect(server.services.uptime.outages('node_never', 1)).rejects.toMatchObject({
    code: 'not_found',
  });
});

/** Adds nodes that are online, each with an active name whose holder wants to hear of outages. */
const addWatchedNodes = (db: Db, nodes: number, at: Date) =>
  db.transaction(async (tx) => {
    const moment = sql`${at.toISOString()}::timestamptz`;
    const each = sql`generate_series(1, ${nodes}::int) as n`;
    await tx.execute(sql`
      insert into peers (id, status, lat, lng, joined_at, last_seen, written_by)
      select 'node_' || n, 'online', 37.5, -122.5, ${moment}, ${moment}, 'test' from ${each}`);
    await tx.execute(sql`
      insert into registrations (id, name, label, class, region, node_id, kinds, status, payment_note, fee_cents,
        created_at, updated_at, expires_at, confirmed_at, activated_at, written_by)
      select 'reg_' || n, 'name-' || n, 'label', 'M', 'US', 'node_' || n, '{node}', 'active', 'NOTE' || n, 500,
        ${moment}, ${moment}, ${moment}, ${moment}, ${moment}, 'test' from ${each}`);
    await tx.execute(sql`
      insert into notification_targets (registration_id, kind, address, enabled, on_decision, offline_minutes,
        on_return, updated_at)
      select 'reg_' || n, 'ntfy', 'https://receiver.invalid/x', true, true, 5, true, ${moment} from ${each}`);
  });

test('any number of outages begins and ends in small transactions, and a round that was cut goes on', async () => {
  const { clock, start, database } = await setUp();
  const watch = await watchPostgres(database.env.DATABASE_URL);
  stops.push(() => watch.stop());
  const nodes = 1100;
  const { db, close } = await openDatabase({ databaseUrl: database.env.DATABASE_URL, dataDir: '' });
  stops.push(close);
  await addWatchedNodes(db, nodes, new Date(clock.read()));
  const server = await start({ DATABASE_URL: watch.url });
  const openOutages = async () =>
    (await db.select({ n: count() }).from(outages).where(isNull(outages.backAt)))[0]?.n;
  watch.mostStatements = 0;
  // One is heard, so it is not the service that hears nobody.
  for (let minute = 0; minute < 6; minute += 0.75) {
    clock.advance(0.75 * MINUTE);
    await ping(server, 'node_alive');
    await server.services.outages.round();
  }
  expect(await openOutages()).toBe(nodes);
  await db
    .update(notificationMessages)
    .set({ attempts: 1, nextAttemptAt: null, deliveredAt: new Date() });

  let batches = 0;
  watch.onDone = (command, cut) => {
    if (command === 'INSERT 0 500' && ++batches > 2) cut();
  };
  // All are back at once, as another server would say.
  clock.advance(SECOND);
  const { peers } = server.services.context.live;
  const lastSeen = new Date(clock.read());
  peers.apply([...peers.rows()].map((row) => ({ ...row, rev: row.rev + 1, lastSeen })));
  await server.services.outages.round();
  // The first 500 have ended, with their messages; of the others, nothing has.
  expect(await openOutages()).toBe(nodes - 500);
  watch.mostRows = 0;
  watch.onDone = null;
  // The database refuses one of the next group: the last hundred do not wait for it.
  const left = await db.select().from(outages).where(isNull(outages.backAt));
  const next = [...peers.rows()].find(({ id }) => left.some(({ nodeId }) => nodeId === id));
  await db.execute(
    sql`alter table outages add constraint refused check (node_id <> ${sql.raw(`'${next?.id}'`)} or back_at is null)`,
  );
  await server.services.outages.round();
  expect(await openOutages()).toBe(500);
  await db.execute(sql`alter table outages drop constraint refused`);
  await server.services.outages.round();
  expect(await openOutages()).toBe(0);
  expect(watch.mostRows).toBeLessThanOrEqual(500);
  expect(watch.mostStatements).toBeLessThan(12);
  const messages = await db
    .select({ event: notificationMessages.event, n: count() })
    .from(notificationMessages)
    .groupBy(notificationMessages.event)
    .orderBy(asc(notificationMessages.event));
  expect(messages).toEqual([
    { event: 'back', n: nodes },
    { event: 'offline', n: nodes },
  ]);
});
