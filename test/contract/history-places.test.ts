import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { DAY, MINUTE, QUARTER, SECOND, recorded, runUntil } from './history-time.ts';
import { aPing, describeContract, expectError, freshId, getJson, type Json } from './contract.ts';

const PATH = '/api/mesh/history/places';
const MUNICH = { lat: 48.1, lng: 11.6, region: 'EU' };
const TOKYO = { lat: 35.7, lng: 139.7, region: 'AS' };
const AT_MUNICH = { lat: 48, lng: 11.5, region: 'EU' };
const AT_TOKYO = { lat: 35.5, lng: 139.5, region: 'AS' };

const ping = async (server: TestServer, nodeId: string, fields: object) =>
  expect((await server.post('/api/mesh/ping', aPing({ nodeId, ...fields }))).status).toBeLessThan(
    300,
  );

const list = (server: TestServer, days = 1): Promise<Json> =>
  getJson(server, `${PATH}?days=${days}`);
const iso = (moment: number) => new Date(moment).toISOString();
const stepAt = (at: number, days = 1) => `${PATH}?days=${days}&at=${iso(at)}`;

/** Rows of the columns, as `[lat, lng, region, nodes]`. */
async function placesAt(server: TestServer, at: number, days = 1): Promise<unknown[]> {
  const body = await getJson(server, stepAt(at, days));
  expect(body).toMatchObject({ at: iso(at), stepSeconds: days === 1 ? 900 : 86_400 });
  const { lat, lng, region, nodes } = body.places;
  expect(nodes.reduce((sum: number, n: number) => sum + n, 0)).toBe(body.nodes);
  return lat.map((_: number, n: number) => [lat[n], lng[n], region[n], nodes[n]]);
}
const row = ({ lat, lng, region }: typeof AT_MUNICH, nodes: number) => [lat, lng, region, nodes];

describeContract(`GET ${PATH}`, {}, ({ server, clock }) => {
  const start = clock.now;
  const today = start - (start % DAY);
  const [one, two, far] = [freshId('one'), freshId('two'), freshId('far')];

  test('before the first quarter has ended there are no steps', async () => {
    await server.services.uptime.tick();
    for (const id of [one, two]) await ping(server, id, MUNICH);
    await ping(server, far, TOKYO);
    for (const days of [1, 90])
      expect(await list(server, days)).toMatchObject({
        stepSeconds: days === 1 ? 900 : 86_400,
        steps: [],
      });
    await expectError(server, await server.get(stepAt(start)), 404, 'not_found');
  });

  test('a quarter of an hour has the nodes that were heard of in it, by place', async () => {
    await runUntil(clock, recorded(clock), server);
    await ping(server, two, MUNICH);
    await runUntil(clock, recorded(clock), server);
    expect(await list(server)).toEqual({
      updatedAt: iso(start + 2 * QUARTER),
      stepSeconds: 900,
      from: iso(start),
      to: iso(start + 2 * QUARTER),
      steps: [
        { at: iso(start), nodes: 3, places: 2 },
        { at: iso(start + QUARTER), nodes: 1, places: 1 },
      ],
    });
    expect(await placesAt(server, start)).toEqual([row(AT_TOKYO, 1), row(AT_MUNICH, 2)]);
    expect(await placesAt(server, start + QUARTER)).toEqual([row(AT_MUNICH, 1)]);
  });

  test('a day has the nodes that were heard of at any time of it, each once, where it was last', async () => {
    await ping(server, one, TOKYO);
    await runUntil(clock, recorded(clock), server);
    expect((await list(server, 90)).steps).toEqual([{ at: iso(today), nodes: 3, places: 2 }]);
    expect(await placesAt(server, today, 90)).toEqual([row(AT_TOKYO, 2), row(AT_MUNICH, 1)]);
  });

  test('a heartbeat after the end of a quarter is not of that quarter', async () => {
    const late = freshId('late');
    await ping(server, late, MUNICH);
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock) - 3 * SECOND, server);
    await ping(server, late, MUNICH);
    const quarter = clock.now - (clock.now % QUARTER) - QUARTER;
    clock.advance(30 * SECOND);
    await server.services.uptime.tick();
    expect((await list(server)).steps.at(-1)).toEqual({ at: iso(quarter), nodes: 0, places: 0 });
    expect(await placesAt(server, quarter)).toEqual([]);
  });

  test('a step in which the service was away is null, and has no places', async () => {
    await runUntil(clock, recorded(clock), server);
    const away = clock.now - (clock.now % QUARTER);
    clock.advance(QUARTER + 5 * MINUTE);
    await server.services.uptime.tick();
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock), server);
    const { steps } = await list(server);
    expect(steps.slice(-3)).toMatchObject([
      { at: iso(away), nodes: null, places: null },
      { at: iso(away + QUARTER), nodes: null },
      { at: iso(away + 2 * QUARTER), nodes: 0 },
    ]);
    await expectError(server, await server.get(stepAt(away)), 404, 'not_found');
  });

  test('blocked nodes are not counted; removed ones stay in the counts of before', async () => {
    const [blocked, removed] = [freshId('blocked'), freshId('removed')];
    for (const id of [blocked, removed]) await ping(server, id, MUNICH);
    await server.services.nodes.block({ nodeId: blocked, reviewer: 'ada', reason: 'test' });
    await runUntil(clock, recorded(clock), server);
    const quarter = clock.now - (clock.now % QUARTER) - QUARTER;
    expect(await placesAt(server, quarter)).toEqual([row(AT_MUNICH, 1)]);
    await server.services.nodes.removeMatching({
      filter: { match: removed, silentSince: '' },
      expected: 1,
      reason: 'test',
      reviewer: 'ada',
    });
    await runUntil(clock, recorded(clock), server);
    expect(await placesAt(server, quarter)).toEqual([row(AT_MUNICH, 1)]);
  });

  test('the places of a step that is over may be kept; the day so far is asked for again', async () => {
    const caching = async (path: string) => (await server.get(path)).headers.get('cache-control');
    expect(await caching(stepAt(start))).toBe('public, max-age=86400, immutable');
    expect(await caching(stepAt(today, 90))).toBe('no-cache');
    expect(await caching(PATH)).toBe('no-cache');
    const tagOf = async (path: string) => (await server.get(path)).headers.get('etag') ?? '';
    const statusWith = async (path: string, tag: string) =>
      (await server.get(path, { headers: { 'if-none-match': tag } })).status;
    const [step, day] = [await tagOf(stepAt(start)), await tagOf(stepAt(today, 90))];
    await ping(server, freshId('new'), TOKYO);
    await runUntil(clock, recorded(clock), server);
    expect(await statusWith(stepAt(start), step)).toBe(304);
    expect(await statusWith(stepAt(today, 90), day)).toBe(200);
  });

  test.each(['br', 'gzip', 'identity'])('it is the same in %s', async (encoding) => {
    const path = stepAt(start);
    const response = await server.get(path, { headers: { 'accept-encoding': encoding } });
    expect(response.headers.get('content-encoding')).toBe(
      encoding === 'identity' ? null : encoding,
    );
    expect(await response.json()).toEqual(await getJson(server, path));
  });

  test.each([
    ['days=7', 'days'],
    ['days=1&days=90', 'days'],
    ['at=yesterday', 'at'],
    ['at=', 'at'],
  ])('?%s is refused', async (query, field) => {
    const response = await server.get(`${PATH}?${query}`);
    await expectError(server, response, 400, 'invalid_query', [field]);
  });

  test('a moment that is no start of a step is not found', async () => {
    for (const at of [start + SECOND, start - QUARTER, start + DAY])
      await expectError(server, await server.get(stepAt(at)), 404, 'not_found');
    await expectError(server, await server.get(stepAt(start, 90)), 404, 'not_found');
  });

  test('quarters leave after a day, and days after 90', async () => {
    clock.advance(DAY + 2 * 60 * MINUTE);
    await server.services.deleteExpired();
    await runUntil(clock, recorded(clock), server);
    await runUntil(clock, recorded(clock), server);
    await expectError(server, await server.get(stepAt(start)), 404, 'not_found');
    const { steps, from } = await list(server);
    expect(Date.parse(from)).toBeGreaterThan(start + DAY);
    expect(steps.at(-1).nodes).toBe(0);
    const { steps: days } = await list(server, 90);
    expect(days).toMatchObject([{ at: iso(today), places: 2 }, { nodes: 0 }]);
    expect((await placesAt(server, today, 90)).length).toBe(2);
    clock.advance(92 * DAY);
    await server.services.deleteExpired();
    await server.services.uptime.load();
    expect((await list(server, 90)).steps).toEqual([]);
  });
});

describe('the places of several servers', () => {
  let database: TestDatabase;
  let servers: TestServer[];
  const clock = new FakeClock();
  const start = () => startTestServer({ env: database.env, clock: clock.read });
  beforeAll(async () => {
    database = await createTestDatabase();
    servers = [await start(), await start()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
  });

  test('one of them records, all answer the same bytes, and so does one that starts later', async () => {
    const id = freshId();
    const first = clock.now;
    await ping(servers[0]!, id, MUNICH);
    for (const { services } of servers)
      await expect.poll(() => services.mesh.peer(id)).not.toBeNull();
    await runUntil(clock, recorded(clock), ...servers);
    await Promise.all(servers.map(({ services }) => services.uptime.tick()));
    servers.push(await start());
    for (const path of [PATH, stepAt(first), stepAt(first - (first % DAY), 90)]) {
      const answers = await Promise.all(
        servers.map(async (server) => {
          const response = await server.get(path);
          return [response.status, response.headers.get('etag'), await response.text()];
        }),
      );
      expect(answers[0]?.[0]).toBe(200);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });
});
