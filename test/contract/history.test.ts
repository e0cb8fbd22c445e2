import { count, eq, lt, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { historyDayCounts, historyDays, historyQuarters, nodeDays } from '#db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { watchPostgres } from '../support/postgres-watch.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { DAY, MINUTE, QUARTER, SECOND, recorded, runUntil } from './history-time.ts';
import {
  aCompute,
  activeName,
  aPing,
  describeContract,
  expectError,
  freshId,
  getJson,
  type Json,
} from './contract.ts';

const ping = async (server: TestServer, nodeId: string, fields = {}) =>
  expect((await server.post('/api/mesh/ping', aPing({ nodeId, ...fields }))).status).toBeLessThan(
    300,
  );

const history = (server: TestServer, node: string, days = 1): Promise<Json> =>
  getJson(server, `/api/mesh/history?node=${node}&days=${days}`);

/** The steps of a node: `+` heard of, `-` silent, `?` not measured. */
const drawn = async (server: TestServer, node: string) =>
  (await history(server, node)).steps
    .map(({ online, measured }: Json) => (measured ? (online ? '+' : '-') : '?'))
    .join('');

const options = { env: { COMPUTE_LISTING: 'announced' } };
describeContract('GET /api/mesh/history', options, ({ server, clock }) => {
  const node = freshId();
  const start = clock.now;

  test('before the first quarter has ended there is nothing to tell', async () => {
    await server.services.uptime.tick();
    await ping(server, node);
    for (const path of ['/api/mesh/history', `/api/mesh/history?node=${node}`])
      expect(await getJson(server, path)).toMatchObject({
        stepSeconds: 900,
        steps: [],
        uptime: { '24h': null, '7d': null, '30d': null, '90d': null },
      });
  });

  test('of a node: the quarters in which it was heard of, since it joined', async () => {
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock), server);
    await ping(server, node);
    await runUntil(clock, recorded(clock), server);
    const third = start + 3 * QUARTER;
    expect(await history(server, node)).toEqual({
      updatedAt: new Date(third).toISOString(),
      stepSeconds: 900,
      from: new Date(start).toISOString(),
      to: new Date(third).toISOString(),
      steps: [true, false, true].map((online, n) => ({
        at: new Date(start + n * QUARTER).toISOString(),
        online,
        measured: true,
      })),
      outages: [],
      uptime: { '24h': 0.666667, '7d': 0.666667, '30d': 0.666667, '90d': 0.666667 },
    });
  });

  test('a heartbeat after the end of a quarter is not of that quarter, however late it is recorded', async () => {
    const [late, early] = [freshId('late'), freshId('early')];
    for (const id of [late, early]) await ping(server, id);
    await runUntil(clock, recorded(clock), server);
    // `early` is heard of to the end, and both at once in the next quarter.
    await runUntil(clock, recorded(clock) - 6 * SECOND, server);
    await ping(server, early, { status: 'idle' });
    clock.advance(2 * SECOND);
    for (const id of [late, early, freshId('new')]) await ping(server, id);
    clock.advance(30 * SECOND);
    await server.services.uptime.tick();
    expect(await drawn(server, late)).toBe('+-');
    expect(await drawn(server, early)).toBe('++');
    const { steps } = await getJson(server, '/api/mesh/history');
    expect(steps.at(-1)).toMatchObject({ online: 0, idle: 1, offline: 2, joined: 0, left: 0 });
  });

  test('time in which the service was away is not measured, and counts for nobody', async () => {
    const id = freshId();
    await ping(server, id);
    await runUntil(clock, recorded(clock), server);
    clock.advance(2 * QUARTER + 5 * MINUTE);
    await server.services.uptime.tick();
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock), server);
    expect(await drawn(server, id)).toBe('+???-');
    expect((await history(server, id)).uptime['24h']).toBe(0.5);
    const { steps } = await getJson(server, '/api/mesh/history');
    expect(steps.slice(-4).map(({ offline }: Json) => offline === null)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test('a quarter that was asked for before it was recorded is shown once it is', async () => {
    const id = freshId();
    await ping(server, id);
    // Two minutes after its end it is shown as not measured, unless this server has just recorded it by itself.
    await runUntil(clock, recorded(clock) - 10 * SECOND, server);
    clock.advance(2 * MINUTE + 10 * SECOND);
    expect(await drawn(server, id)).toMatch(/^[?+]$/);
    await server.services.uptime.tick();
    expect(await drawn(server, id)).toBe('+');
    // The quarter that has begun is not measured.
    await runUntil(clock, recorded(clock), server);
  });

  test('of a compute offer: the quarters in which it was announced, and not those of its node', async () => {
    const nodeId = freshId();
    const announce = (name: string) =>
      server.post('/api/registry/computes', { nodeId, computes: [aCompute({ name })] });
    const [busy, lazy] = [freshId('comp'), freshId('comp')];
    await announce(busy);
    await announce(lazy);
    await runUntil(clock, recorded(clock), server);
    await announce(busy);
    // Announced after the end of the quarter, and before it is recorded: that is the next one.
    await runUntil(clock, recorded(clock) - 4 * SECOND, server);
    await announce(lazy);
    await runUntil(clock, clock.now + 4 * SECOND, server);
    await runUntil(clock, recorded(clock), server);
    const cells = async (name: string) =>
      (await server.services.uptime.offerUptime(`${nodeId}:${name}`)).strips[0]?.cells.trim();
    expect([await cells(busy), await cells(lazy)]).toEqual(['990', '909']);
    await expect(server.services.uptime.offerUptime(`${nodeId}:none`)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('for lists: the same share of 30 days, and nothing of nodes never heard of or blocked', async () => {
    const [always, sometimes, fresh, blocked] = [freshId(), freshId(), freshId(), freshId()];
    for (const id of [always, sometimes, blocked]) await ping(server, id);
    await runUntil(clock, recorded(clock), server);
    await ping(server, always);
    await runUntil(clock, recorded(clock), server);
    await ping(server, fresh);
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'test' });
    const asked = [always, sometimes, fresh, blocked, always, 'node_never', '__proto__'];
    const shares = () => server.services.uptime.monthShares(asked);
    const expected = async () => {
      const known = [always, sometimes, fresh];
      const bodies = await Promise.all(known.map((id) => history(server, id)));
      return new Map(known.map((id, n) => [id, bodies[n].uptime['30d']]));
    };
    const [first, second] = await Promise.all([shares(), shares()]);
    expect(first).toEqual(await expected());
    expect(second).toEqual(first);
    expect([first.get(always), first.get(sometimes), first.get(fresh)]).toEqual([1, 0.5, null]);
    // Another quarter: the old shares at once, the new ones soon.
    await runUntil(clock, recorded(clock), server);
    const before = await shares();
    expect(before.get(always)).toBe(1);
    await expect.poll(shares).toEqual(await expected());
    expect((await shares()).get(always)).toBe(0.666667);
  });

  test('for the directory: region and uptime of the nodes behind the offers', async () => {
    const [known, silent, blocked, bare] = [freshId(), freshId(), freshId(), freshId()];
    await ping(server, known, { region: 'AU' });
    await ping(server, bare);
    for (const nodeId of [known, silent, blocked])
      await server.post('/api/registry/computes', { nodeId, computes: [aCompute()] });
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'test' });
    await runUntil(clock, recorded(clock) + MINUTE, server);
    const answer = async () =>
      (await getJson(server, '/api/trpc/computes.nodes')).result.data.nodes as Record<
        string,
        unknown
      >;
    // What is a minute old is answered at once, and made again for the next.
    await answer();
    await expect.poll(answer).toMatchObject({ [known]: ['AU', 1], [silent]: ['ZZ', null] });
    const ids = Object.keys(await answer());
    expect(ids).not.toContain(blocked);
    expect(ids).not.toContain(bare);
    const nodeOf = await server.services.nodes.ofOffers();
    expect(nodeOf(known)).toEqual({ region: 'AU', uptime: 1 });
    expect(nodeOf('__proto__')).toEqual({ region: 'ZZ', uptime: null });
  });

  test('in days: how long the node was heard of, and how long was measured', async () => {
    const id = freshId();
    await ping(server, id);
    await runUntil(clock, recorded(clock), server);
    const today = new Date(start - (start % DAY)).toISOString();
    const { from, to, stepSeconds, steps } = await history(server, id, 30);
    expect({ from, stepSeconds, steps }).toEqual({
      from: today,
      stepSeconds: 86_400,
      steps: [
        {
          at: today,
          online: true,
          measured: true,
          onlineSeconds: 900,
          measuredSeconds: 900,
          offlineSeconds: 0,
        },
      ],
    });
    expect(Date.parse(to)).toBe(clock.now - 5 * SECOND);
  });

  test('of the network: nodes by status, who joined and left, and free slots', async () => {
    const [one, two] = [freshId(), freshId()];
    const before = (await getJson(server, '/api/mesh')).stats.peers;
    await runUntil(clock, recorded(clock) - MINUTE, server);
    const growth = () => server.services.uptime.growth();
    const { joined, left } = growth().today;
    await ping(server, one);
    await ping(server, two, { status: 'syncing' });
    // The map page counts them at once, and once more when they are recorded they aren't counted twice.
    expect(growth().today).toMatchObject({ joined: joined + 2, left });
    await server.post('/api/registry/computes', {
      nodeId: one,
      computes: [aCompute({ freeSlots: 7 })],
    });
    await runUntil(clock, recorded(clock), server);
    const body = await getJson(server, '/api/mesh/history');
    expect(body.steps.at(-1)).toEqual({
      at: new Date(Date.parse(body.to) - QUARTER).toISOString(),
      online: 1,
      syncing: 1,
      idle: 0,
      offline: before,
      joined: 2,
      left: 0,
      freeSlots: 7,
    });
    expect(growth().today).toMatchObject({ joined: joined + 2, left });
    await server.services.nodes.block({ nodeId: two, reviewer: 'ada', reason: 'test' });
    expect(growth().today).toMatchObject({ joined: joined + 2, left: (left ?? 0) + 1 });
    await runUntil(clock, recorded(clock), server);
    expect(growth().today).toMatchObject({ joined: joined + 2, left: (left ?? 0) + 1 });
    const { steps } = await getJson(server, '/api/mesh/history');
    expect(steps.at(-1)).toMatchObject({ syncing: 0, joined: 0, left: 1 });

    const days = await getJson(server, '/api/mesh/history?days=90');
    expect(days).toMatchObject({
      stepSeconds: 86_400,
      from: new Date(start - (start % DAY)).toISOString(),
    });
    const sum = (name: string) =>
      steps.reduce((total: number, step: Json) => total + (step[name] ?? 0), 0);
    expect(days.steps).toMatchObject([{ joined: sum('joined'), left: sum('left') }]);
    const measured = steps.filter(({ online }: Json) => online !== null).length;
    expect(days.steps[0].offline).toBe(Math.round(sum('offline') / measured));
  });

  test('its ETag stays until the next quarter is recorded', async () => {
    for (const path of ['/api/mesh/history', `/api/mesh/history?node=${node}&days=7`]) {
      const tag = (await server.get(path)).headers.get('etag') ?? '';
      const again = () => server.get(path, { headers: { 'if-none-match': tag } });
      clock.advance(MINUTE);
      expect((await again()).status).toBe(304);
      await runUntil(clock, recorded(clock), server);
      expect((await again()).status).toBe(200);
    }
    const { headers } = await server.get('/api/mesh/history');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('an unknown node is not found, and neither is a blocked one', async () => {
    const blocked = freshId();
    await ping(server, blocked);
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'test' });
    for (const id of [blocked, freshId(), 'genesis', '__proto__'])
      await expectError(server, await server.get(`/api/mesh/history?node=${id}`), 404, 'not_found');
  });

  test.each([
    ['days=2', 'days'],
    ['days=', 'days'],
    ['days=1&days=7', 'days'],
    ['node=a', 'node'],
    ['node=a.b', 'node'],
  ])('?%s is refused', async (query, field) => {
    const response = await server.get(`/api/mesh/history?${query}`);
    await expectError(server, response, 400, 'invalid_query', [field]);
  });

  test('the typed API answers the same', async () => {
    const ask = async (path: string, input: object) => {
      const query = encodeURIComponent(JSON.stringify(input));
      return (await getJson(server, `/api/trpc/${path}?input=${query}`)).result.data;
    };
    expect(await ask('history.network', { days: 7 })).toEqual(
      await getJson(server, '/api/mesh/history?days=7'),
    );
    expect(await ask('history.node', { node, days: 30 })).toEqual(await history(server, node, 30));
  });

  test('is kept for 90 days; the numbers of each day for a year', async () => {
    const { db } = server.database;
    const ofTheStart = lt(historyQuarters.quarter, new Date(start + DAY));
    const rows = async () => [
      (await db.select().from(nodeDays)).length > 0,
      (await db.select().from(historyQuarters).where(ofTheStart)).length > 0,
      (await db.select().from(historyDays)).length > 0,
      (await db.select().from(historyDayCounts)).length > 0,
    ];
    clock.advance(90 * DAY);
    await server.services.deleteExpired();
    expect(await rows()).toEqual([true, true, true, true]);
    clock.advance(2 * DAY);
    await server.services.deleteExpired();
    expect(await rows()).toEqual([false, false, true, true]);
    clock.advance(274 * DAY);
    await server.services.deleteExpired();
    expect(await rows()).toEqual([false, false, true, true]);
    clock.advance(DAY);
    await server.services.deleteExpired();
    expect(await rows()).toEqual([false, false, false, false]);
  });
});

test('a day has means of its nodes by class and region, of offers and of active names; one of an earlier release has none', async () => {
  const clock = new FakeClock();
  const server = await startTestServer({ clock: clock.read });
  onTestFinished(() => server.stop());
  const { db } = server.database;
  const { uptime, nodes } = server.services;
  await uptime.tick();
  const announce = (nodeId: string, name: string, freeSlots: number) =>
    server.post('/api/registry/computes', { nodeId, computes: [aCompute({ name, freeSlots })] });
  const all = Array.from({ length: 6 }, () => freshId());
  for (const [n, id] of all.entries())
    await ping(server, id, { class: n < 2 ? 'L' : 'S', region: n < 4 ? 'EU' : 'NA' });
  const [first = '', last = ''] = [all[0], all[5]];
  const { name } = await activeName(server, { nodeId: first });
  await runUntil(clock, recorded(clock) - MINUTE, server);
  await announce(first, name, 0);
  await announce(last, 'without-a-name', 3);
  await runUntil(clock, recorded(clock), server);
  const today = () => uptime.trends(30).days.at(-1);
  const counted = { class: { S: 4, M: 0, L: 2 }, regions: { EU: 4, NA: 2 }, names: 1 };
  // A busy offer counts, and one that the directory doesn't list does not.
  expect(today()).toMatchObject({ ...counted, nodes: 6, offers: 1 });

  await nodes.block({ nodeId: last, reviewer: 'ada', reason: 'test' });
  await nodes.block({ nodeId: all[4] ?? '', reviewer: 'ada', reason: 'test' });
  await runUntil(clock, recorded(clock), server);
  await runUntil(clock, recorded(clock), server);
  // 6, 4 and 4 nodes, of which 2, 0 and 0 are in NA.
  expect(today()).toMatchObject({
    class: { S: 3, M: 0, L: 2 },
    regions: { EU: 4, NA: 1 },
    nodes: 5,
    names: 1,
    offers: 0,
  });

  const day = new Date(clock.now - DAY).toISOString().slice(0, 10);
  const none = { syncing: 0, idle: 0, offline: 0, joined: 0, left: 0, freeSlots: 0 };
  await db.insert(historyDays).values({ day, quarters: 1, online: 2, ...none });
  await uptime.load();
  expect(uptime.trends(30).days).toMatchObject([
    { day, nodes: 2, class: null, regions: null, offers: null, names: null },
    { regions: { EU: 4, NA: 1 } },
  ]);
});

describe('a history over restarts', () => {
  let database: TestDatabase;
  const clock = new FakeClock();
  const start = () => startTestServer({ env: database.env, clock: clock.read });
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('a short restart costs nothing, a long one a quarter, and a late start too', async () => {
    const [before, after] = [freshId('before'), freshId('after')];
    let server = await start();
    await ping(server, before);
    await runUntil(clock, clock.now + 7 * MINUTE, server);
    await server.stop();
    clock.advance(20 * SECOND);
    server = await start();
    await ping(server, after);
    await runUntil(clock, recorded(clock), server);
    for (const id of [before, after]) expect(await drawn(server, id)).toBe('+');

    // Away for four minutes.
    await runUntil(clock, clock.now + 5 * MINUTE, server);
    await server.stop();
    clock.advance(4 * MINUTE);
    server = await start();
    await ping(server, after);
    await runUntil(clock, recorded(clock), server);
    for (const id of [before, after]) expect(await drawn(server, id)).toBe('+?');

    // Over the end of a quarter, and from there to a minute before the end of the next one.
    await server.stop();
    clock.advance(2 * QUARTER - MINUTE);
    server = await start();
    await ping(server, after);
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock), server);
    for (const id of [before, after]) expect(await drawn(server, id)).toBe('+???-');
    await server.stop();
  });

  test('a restart over the end of a quarter costs nothing', async () => {
    const id = freshId();
    let server = await start();
    await runUntil(clock, recorded(clock), server);
    await ping(server, id);
    await runUntil(clock, recorded(clock) - 15 * SECOND, server);
    await server.stop();
    clock.advance(20 * SECOND);
    server = await start();
    await server.services.uptime.tick();
    expect(await drawn(server, id)).toBe('+');
    await server.stop();
  });
});

describe('the history of several servers', () => {
  let database: TestDatabase;
  let servers: TestServer[];
  const clock = new FakeClock();
  const start = () => startTestServer({ env: database.env, clock: clock.read });
  beforeAll(async () => {
    database = await createTestDatabase();
    servers = [await start(), await start(), await start()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
  });

  /** Until every server shows the peer: each has read what the others wrote. */
  const followed = async (id: string) => {
    for (const server of servers)
      await expect.poll(() => server.services.mesh.peer(id)).not.toBeNull();
  };

  test('one of them records a quarter, and all answer the same bytes', async () => {
    const ids = servers.map(() => freshId());
    for (const [n, server] of servers.entries()) await ping(server, ids[n] ?? '');
    for (const id of ids) await followed(id);
    await runUntil(clock, recorded(clock) - 10 * SECOND, ...servers);
    clock.advance(10 * SECOND);
    await Promise.all(servers.map(({ services }) => services.uptime.tick()));
    await Promise.all(servers.map(({ services }) => services.uptime.tick()));
    const { db } = servers[0]!.database;
    const quarters = await db
      .select()
      .from(historyQuarters)
      .where(eq(historyQuarters.measured, true));
    expect(quarters).toMatchObject([{ online: 0, offline: 3, joined: 3 }]);
    const bodies = await Promise.all(
      servers.map(async (server) => {
        const response = await server.get(`/api/mesh/history?node=${ids[0]}`);
        return [response.headers.get('etag'), await response.text()];
      }),
    );
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    for (const id of ids) expect(await drawn(servers[0]!, id)).toBe('+');
  });

  test('while one of them is up, nothing is missed', async () => {
    const id = freshId();
    await ping(servers[1]!, id);
    await followed(id);
    await servers[1]!.stop();
    await runUntil(clock, clock.now + 6 * MINUTE, servers[0]!);
    servers[1] = await start();
    await runUntil(clock, recorded(clock), ...servers);
    for (const server of servers) expect(await drawn(server, id)).toBe('+');
  });
});

test('a server that takes minutes for a quarter keeps it, goes on where it was cut, starts again after a fail-over, and counts it once', async () => {
  const nodes = 10_000;
  const clock = new FakeClock();
  const database = await createTestDatabase();
  const watch = await watchPostgres(database.env.DATABASE_URL);
  onTestFinished(async () => {
    watch.stop();
    await database.drop();
  });
  const start = async (DATABASE_URL: string) => {
    const server = await startTestServer({ env: { DATABASE_URL }, clock: clock.read });
    onTestFinished(() => server.stop());
    return server;
  };
  const other = await start(database.env.DATABASE_URL);
  const { db } = other.database;
  await db.execute(sql`
    insert into peers (id, status, lat, lng, joined_at, last_seen, written_by)
    select 'node_' || n, 'online', 37.5, -122.5, at, at, 'test'
    from generate_series(1, ${nodes}::int) as n, (values (${clock.iso()}::timestamptz)) as t(at)`);
  const slow = await start(watch.url);
  await runUntil(clock, recorded(clock) - 10 * SECOND, slow, other);
  clock.advance(10 * SECOND);

  let writes = 0;
  watch.onDone = async (command, cut) => {
    if (!/^INSERT 0 \d{4,}$/.test(command)) return;
    clock.advance(16 * SECOND);
    await other.services.uptime.tick();
    if (++writes === 5 || writes === 8) cut();
  };
  const written = async () => (await db.select({ rows: count() }).from(nodeDays))[0]?.rows;
  await slow.services.uptime.tick();
  await slow.services.uptime.tick();
  // The commit of a write that was cut is not known, so it is repeated.
  expect(await written()).toBeGreaterThanOrEqual(6000);
  // After a fail-over, the database has none of them.
  await db.delete(nodeDays);
  slow.services.context.live.reloading.emit();
  await slow.services.uptime.tick();
  expect(writes).toBe(8 + nodes / 1000);
  expect(
    await db.select().from(historyQuarters).where(eq(historyQuarters.measured, true)),
  ).toMatchObject([
    { claimedBy: slow.services.context.serverId, measured: true, offline: nodes, joined: nodes },
  ]);
  expect(await db.select().from(historyDays)).toMatchObject([{ quarters: 1, offline: nodes }]);
  expect(await written()).toBe(nodes);
});
