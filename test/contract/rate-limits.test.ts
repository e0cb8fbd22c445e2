import { expect, test } from 'vitest';
import { openPage } from '../pages/page.ts';
import {
  aCompute,
  aPing,
  aStart,
  describeContract,
  expectError,
  freshId,
  getJson,
} from './contract.ts';

const PING = '/api/mesh/ping';
const ANNOUNCE = '/api/registry/computes';
const REGISTER = '/api/registry/register';
const SECRET = 'the-right-secret-0123456789';

/** Requests sent at once. */
const AT_ONCE = 50;
async function many(count: number, send: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < count) {
    const group = Array.from({ length: Math.min(AT_ONCE, count - statuses.length) }, send);
    for (const response of await Promise.all(group)) {
      await response.arrayBuffer();
      statuses.push(response.status);
    }
  }
  return statuses;
}

/** Reached sooner than those of production, which are tested in server/entry/rate-limits.test.ts. */
const LIMITS = {
  node: { points: 12, seconds: 60 },
  credential: { points: 8, seconds: 60 },
  registration: { points: 9, seconds: 600 },
  // One comes back after a minute, which no test takes.
  lookup: { points: 20, seconds: 1200 },
};

const limited = { RATE_LIMITS: 'on', TRUST_PROXY: '1', WEBHOOK_SECRET: SECRET };

describeContract('limits', { env: limited, limits: LIMITS, realTime: true }, ({ server }) => {
  let address = 0;
  /** Headers of a new client. */
  const client = (headers: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': `192.0.2.${++address}`, ...headers },
  });
  const expectLimited = async (response: Response, seconds: number) => {
    const wait = Number(response.headers.get('retry-after'));
    expect(Number.isInteger(wait) && wait >= 1 && wait <= seconds).toBe(true);
    const { error } = await expectError(server, response, 429, 'rate_limited');
    // Long waits are given in minutes.
    expect(error).toMatch(new RegExp(` in (${wait} s|${Math.ceil(wait / 60)} m)`));
  };

  test('heartbeats of one node over the limit get 429, other nodes behind the same address do not', async () => {
    const nodeId = freshId();
    const { points, seconds } = LIMITS.node;
    // What is sent before a node is known does not count.
    expect((await server.post(PING, aPing({ nodeId, lat: 'x' }))).status).toBe(400);
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(201);
    // Invalid bodies count too, and cost no write.
    const nonsense = aPing({ nodeId, lat: 'x' });
    const statuses = await many(points - 1, () => server.post(PING, nonsense));
    expect(new Set(statuses)).toEqual(new Set([400]));
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(200);
    await expectLimited(await server.post(PING, aPing({ nodeId })), seconds);
    expect((await server.post(PING, aPing())).status).toBe(201);
    // Announcements are counted separately.
    const announce = { nodeId, computes: [aCompute()] };
    expect((await server.post(ANNOUNCE, announce)).status).toBe(200);
  });

  test('announcements of one node over the limit get 429', async () => {
    const nodeId = freshId();
    const { points, seconds } = LIMITS.node;
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(201);
    const statuses = await many(points, () => server.post(ANNOUNCE, { nodeId, computes: [] }));
    expect(new Set(statuses)).toEqual(new Set([400]));
    const announce = { nodeId, computes: [aCompute()] };
    await expectLimited(await server.post(ANNOUNCE, announce), seconds);
    expect((await server.post(PING, aPing({ nodeId }))).status).toBe(200);
  });

  test('wrong credentials of one client over the limit get 429, the right one is always accepted', async () => {
    const { points, seconds } = LIMITS.credential;
    const wrong = client({ authorization: 'Bearer wrong' });
    const statuses = await many(points, () => server.post(PING, aPing(), wrong));
    expect(new Set(statuses)).toEqual(new Set([401]));
    await expectLimited(await server.post(PING, aPing(), wrong), seconds);
    await expectLimited(await server.post(ANNOUNCE, {}, wrong), seconds);
    const right = { headers: { ...wrong.headers, authorization: `Bearer ${SECRET}` } };
    expect((await server.post(PING, aPing(), right)).status).toBe(201);
    const another = client({ authorization: 'Bearer wrong' });
    expect((await server.post(PING, aPing(), another)).status).toBe(401);
  });

  test('registrations of one client over the limit get 429 before the body is read', async () => {
    const { points, seconds } = LIMITS.registration;
    const me = client();
    expect((await server.post(REGISTER, aStart(), me)).status).toBe(201);
    const statuses = await many(points - 1, () => server.post(REGISTER, {}, me));
    expect(new Set(statuses)).toEqual(new Set([400]));
    await expectLimited(await server.post(REGISTER, aStart(), me), seconds);
    await expectLimited(
      await server.get(REGISTER, { method: 'POST', body: 'x'.repeat(100_000), ...me }),
      seconds,
    );
    const confirm = { action: 'confirm', id: 'reg_0000000000000000000000' };
    await expectLimited(await server.post(REGISTER, confirm, me), seconds);
    // The typed API counts against the same limit.
    const typed = await server.post('/api/trpc/registry.confirm', { id: confirm.id }, me);
    expect(typed.status).toBe(429);
    expect(await typed.json()).toMatchObject({ error: { data: { code: 'rate_limited' } } });
    expect(Number(typed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await server.post(REGISTER, aStart(), client())).status).toBe(201);
    // Reads from memory are not limited.
    await getJson(server, REGISTER);
  });

  test('a large answer of the typed API counts as a look-up, compressed to less than 64 KiB it does not', async () => {
    const { points } = LIMITS.lookup;
    const pings = Array.from({ length: 400 }, () =>
      server.services.mesh.ping(aPing({ nodeId: freshId() })),
    );
    await Promise.all(pings);
    const ask = (headers: object) =>
      many(points + 1, () => server.get('/api/trpc/mesh.get', headers));
    const [whole, small] = [client({ 'accept-encoding': 'identity' }), client()];
    expect(new Set(await ask(small))).toEqual(new Set([200]));
    expect((await ask(whole)).sort()).toEqual([...Array<number>(points).fill(200), 429]);
    const { error } = await (await server.get('/api/trpc/mesh.get', whole)).json();
    expect(error.data).toMatchObject({ code: 'rate_limited', httpStatus: 429 });
  });

  test('each call of a batch counts, and so does each part of a large answer in it', async () => {
    const { points } = LIMITS.lookup;
    const batch = async (of: object, path: string, input: unknown) => {
      const paths = Array.from({ length: 10 }, () => path).join();
      const inputs = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, input]));
      const query = `batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
      const response = await server.get(`/api/trpc/${paths}?${query}`, of);
      return (await response.json()) as { error?: { data: { code: string } } }[];
    };
    const me = client();
    const id = `reg_${'x'.repeat(22)}`;
    for (let sent = 0; sent < points; sent += 10)
      for (const { error } of await batch(me, 'registry.registration', { id }))
        expect(error?.data.code).toBe('not_found');
    for (const { error } of await batch(me, 'registry.registration', { id }))
      expect(error?.data.code).toBe('rate_limited');
    // Ten answers of more than 64 KiB: two look-ups each.
    const other = client();
    await batch(other, 'mesh.get', undefined);
    const left = await server.get('/api/trpc/mesh.get', {
      headers: { ...other.headers, 'accept-encoding': 'identity' },
    });
    expect(left.status).toBe(429);
  });

  test('look-ups of one client that read the database are limited together, other reads are not', async () => {
    const { points, seconds } = LIMITS.lookup;
    const me = client();
    const { id } = await (await server.post(REGISTER, aStart(), me)).json();
    const typed = (path: string, input: object) =>
      `/api/trpc/registry.${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
    const start = { name: 'garage', nodeId: 'node_a', kinds: ['node'], idempotencyKey: 'k' };
    const lookups = [
      `${REGISTER}?id=${id}`,
      `${REGISTER}?id=${id.slice(0, -1)}!`,
      typed('registration', { id }),
      typed('startedWith', { ...start, class: '', region: '' }),
      `/api/trpc/review.join.get?input=${encodeURIComponent(JSON.stringify({ token: 'x'.repeat(43) }))}`,
    ];
    let sent = 0;
    // One of each, then only the one that costs no query: all within the minute of the limit.
    const [, cheap = ''] = lookups;
    const statuses = await many(points, () => server.get(lookups[sent++] ?? cheap, me));
    expect(new Set(statuses)).toEqual(new Set([200, 404]));
    for (const path of lookups.slice(0, 2)) {
      const refused = await server.get(path, me);
      expect(refused.headers.get('access-control-allow-origin')).toBe('*');
      await expectLimited(refused, seconds);
    }
    for (const path of lookups.slice(2)) expect((await server.get(path, me)).status).toBe(429);
    for (const path of [
      REGISTER,
      `${REGISTER}?name=garage`,
      typed('availability', { name: 'garage' }),
      typed('alternatives', { name: 'garage' }),
      '/api/registry',
      '/api/mesh',
      `/register/${id}`,
      '/register?name=garage',
    ])
      expect([path, (await server.get(path, me)).status]).toEqual([path, 200]);
    expect((await server.get(lookups[0] as string, client())).status).toBe(200);
  });

  test('pages that look through lists, or ask the database, count as look-ups, and say when to try again', async () => {
    const { points, seconds } = LIMITS.lookup;
    const me = client();
    const { nodeId } = aPing();
    await server.post(PING, aPing({ nodeId }));
    const counted = [
      '/?q=garage',
      '/?status=online',
      '/?at=48,11.5',
      '/computes?q=garage',
      '/computes?sort=-free',
      '/registry?q=garage',
      '/registry?sort=newest',
      '/search?q=garage',
      `/nodes/${nodeId}`,
    ];
    for (const path of counted)
      expect([path, (await server.get(path, me)).status]).toEqual([path, 200]);
    // Each has counted once: so many are left.
    const lookup = `${REGISTER}?id=reg_0000000000000000000000`;
    const statuses = await many(points - counted.length, () => server.get(lookup, me));
    expect(new Set(statuses)).toEqual(new Set([404]));
    for (const path of counted) {
      const { status, headers, text } = await openPage(server, path, me);
      const wait = Number(headers.get('retry-after'));
      expect([path, status, wait >= 1 && wait <= seconds]).toEqual([path, 429, true]);
      expect(text).toMatch(/Too many requests from your network\. Try again in \d+ second/);
    }
    // What all visitors share is never refused.
    for (const path of ['/', '/?page=2', '/computes', '/computes?page=2', '/registry', '/status'])
      expect([path, (await server.get(path, me)).status]).toEqual([path, 200]);
  });

  test('in a large network, places are looked through once for all who ask the same within a second', async () => {
    const { mesh } = server.services;
    const pings = Array.from({ length: 1000 - mesh.size() }, () =>
      mesh.ping(aPing({ nodeId: freshId() })),
    );
    await Promise.all(pings);
    const looked: string[] = [];
    const ask = (q: string) => {
      const filter = { q, status: [], class: [], region: null, joined: null };
      return mesh.matchingPlaces(filter, () => looked.push(q));
    };
    const places = ask('node');
    expect([ask('node'), ask('other'), ask('node')]).toEqual([places, [], places]);
    expect(looked).toEqual(['node', 'other']);
  });

  test('reads of the typed API that look through lists have a turn of the event loop each', async () => {
    const { mesh } = server.services;
    const { list, matchingPlaces } = mesh;
    let turn = 0;
    let timer = setImmediate(function count() {
      turn++;
      timer = setImmediate(count);
    });
    const turns: number[] = [];
    mesh.list = (...args) => (turns.push(turn), list(...args));
    mesh.matchingPlaces = (...args) => (turns.push(turn), matchingPlaces(...args));
    const ask = (n: number) =>
      server.get(
        `/api/trpc/mesh.${n % 2 ? 'list' : 'matchingPlaces'}?input=${encodeURIComponent(`{"q":"q${n}"}`)}`,
        client(),
      );
    const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)));
    clearImmediate(timer);
    Object.assign(mesh, { list, matchingPlaces });
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(turns).toHaveLength(40);
    expect(new Set(turns).size).toBe(40);
  });

  test('the address of a limited client is neither logged nor in the metrics', async () => {
    const seen = server.log() + (await (await server.get('/metrics')).text());
    expect(/192\.0\.2\.\d+/.exec(seen)?.[0]).toBeUndefined();
  });
});

const few = { NEW_NODES_PER_HOUR: '20', NEW_COMPUTES_PER_HOUR: '256' };

describeContract(
  'new ids of one client',
  { env: { ...limited, ...few }, realTime: true },
  ({ server }) => {
    let address = 0;
    const authorization = `Bearer ${SECRET}`;
    const client = () => ({
      headers: { authorization, 'x-forwarded-for': `198.51.100.${++address}` },
    });
    const count = (statuses: number[], status: number) =>
      statuses.filter((each) => each === status).length;

    test('new nodes beyond the limit get 429 and are not stored; a known node is always served', async () => {
      const me = client();
      const known = aPing();
      expect((await server.post(PING, known, me)).status).toBe(201);
      const statuses = await many(40, () => server.post(PING, aPing(), me));
      // While they are sent, a few minutes pass at most: the limit refills once in three.
      expect(count(statuses, 201)).toBeGreaterThanOrEqual(19);
      expect(count(statuses, 201)).toBeLessThan(22);
      expect(count(statuses, 429)).toBe(40 - count(statuses, 201));

      const refused = aPing();
      const response = await server.post(PING, refused, me);
      const wait = Number(response.headers.get('retry-after'));
      expect(wait >= 1 && wait <= 180).toBe(true);
      const { error } = await expectError(server, response, 429, 'rate_limited');
      expect(error).toMatch(/new nodes from your network.* in \d+ (s|m)/);
      expect((await server.get(`/nodes/${refused.nodeId}`)).status).toBe(404);

      const again = await many(25, () => server.post(PING, known, me));
      expect(new Set(again)).toEqual(new Set([200]));
      expect((await server.post(PING, refused, client())).status).toBe(201);
      expect((await server.post(PING, refused, me)).status).toBe(200);
    });

    test('only nodes that were added count', async () => {
      const me = client();
      const invalid = await many(30, () => server.post(PING, aPing({ lat: 'x' }), me));
      expect(new Set(invalid)).toEqual(new Set([400]));
      const one = aPing();
      // Those under way count as one each until they have ended, so never more at once than the limit.
      const statuses = [];
      for (let round = 0; round < 2; round++)
        statuses.push(...(await many(15, () => server.post(PING, one, me))));
      expect([count(statuses, 201), count(statuses, 200)]).toEqual([1, 29]);
      const others = await many(19, () => server.post(PING, aPing(), me));
      expect(new Set(others)).toEqual(new Set([201]));
    });

    test('new compute offers beyond the limit get 429, known ones are always served', async () => {
      const me = client();
      const announce = (nodeId: string, computes: unknown[]) =>
        server.post(ANNOUNCE, { nodeId, computes }, me);
      const offers = (n: number) => Array.from({ length: n }, () => aCompute());
      const nodeId = freshId();
      const known = offers(200);
      expect((await announce(nodeId, known)).status).toBe(200);
      // All of an announcement, or nothing.
      const more = offers(100);
      const refused = await announce(nodeId, more);
      const { error } = await expectError(server, refused, 429, 'rate_limited');
      expect(error).toMatch(/new compute offers/);
      expect((await announce(nodeId, more.slice(0, 50))).status).toBe(200);
      expect((await announce(nodeId, [...known, ...more.slice(0, 50)])).status).toBe(200);
      expect((await announce(freshId(), offers(30))).status).toBe(429);
      const elsewhere = { nodeId: freshId(), computes: offers(256) };
      expect((await server.post(ANNOUNCE, elsewhere, client())).status).toBe(200);
    });
  },
);

const off = { RATE_LIMITS: 'off', ...few };

describeContract('RATE_LIMITS=off', { env: off, limits: LIMITS, realTime: true }, ({ server }) => {
  test('disables all limits, and logs a warning', async () => {
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    const statuses = await many(LIMITS.credential.points + 5, () => server.post(PING, {}, wrong));
    expect(new Set(statuses)).toEqual(new Set([401]));
    const lookups = await many(LIMITS.lookup.points + 5, () =>
      server.get(`${REGISTER}?id=reg_0000000000000000000000`),
    );
    expect(new Set(lookups)).toEqual(new Set([404]));
    const registrations = await many(LIMITS.registration.points + 5, () =>
      server.post(REGISTER, {}),
    );
    expect(new Set(registrations)).toEqual(new Set([400]));
    const nodes = await many(40, () => server.post(PING, aPing()));
    expect(new Set(nodes)).toEqual(new Set([201]));
    expect(server.log()).toMatch(/RATE_LIMITS is off/);
  });
});
