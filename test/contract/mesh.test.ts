import { expect, test } from 'vitest';
import {
  aPing,
  aShownPeer,
  describeContract,
  eventually,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';

const PING = '/api/mesh/ping';

const configured = {
  NETWORK_PHASE: 'beta-2',
  GENESIS_LABEL: 'First light',
  GENESIS_REGION: 'EU',
  GENESIS_LAT: '51.5',
  GENESIS_LNG: '-0.5',
  GENESIS_SINCE: '2026-01-31',
};

describeContract('GET /api/mesh', { env: configured }, ({ server, clock }) => {
  const mesh = (): Promise<Json> => getJson(server, '/api/mesh');
  const ping = (fields: Record<string, unknown>, status = 201) =>
    postJson(server, PING, aPing(fields), status);
  const statusOf = (answer: Json, id: string) =>
    answer.peers.find((peer: Json) => peer.id === id).status;
  /** Totals that must be right in every answer. */
  const consistent = (answer: Json) => {
    const { stats, peers } = answer;
    const count = (key: string, value: string) =>
      peers.filter((peer: Json) => peer[key] === value).length;
    expect(stats).toEqual({
      total: peers.length + 1,
      peers: peers.length,
      online: count('status', 'online'),
      syncing: count('status', 'syncing'),
      idle: count('status', 'idle'),
      offline: count('status', 'offline'),
      byClass: { S: count('class', 'S'), M: count('class', 'M'), L: count('class', 'L') },
      byRegion: Object.fromEntries(
        [...new Set<string>(peers.map(({ region }: Json) => region))].map((region) => [
          region,
          count('region', region),
        ]),
      ),
    });
    expect(stats.online + stats.syncing + stats.idle + stats.offline).toBe(stats.peers);
    const order = peers.map(({ joinedAt, id }: Json) => `${joinedAt} ${id}`);
    expect(order).toEqual([...order].sort());
    const pings = answer.recentPings.map(({ at }: Json) => at);
    expect(pings).toEqual([...pings].sort().reverse());
    expect(pings.length).toBeLessThanOrEqual(24);
    return answer;
  };

  test('an empty network has every key, the operator’s configuration, and an unchecked Genesis', async () => {
    expect(await mesh()).toEqual({
      phase: 'beta-2',
      updatedAt: clock.iso(),
      offlineAfterMs: 60_000,
      stats: {
        total: 1,
        peers: 0,
        online: 0,
        syncing: 0,
        idle: 0,
        offline: 0,
        byClass: { S: 0, M: 0, L: 0 },
        byRegion: {},
      },
      genesis: {
        id: 'genesis',
        label: 'First light',
        class: 'L',
        region: 'EU',
        role: 'genesis',
        status: 'unknown',
        lat: 51.5,
        lng: -0.5,
        joinedAt: '2026-01-31T00:00:00.000Z',
        lastSeen: null,
        checkedAt: null,
        latencyMs: null,
      },
      peers: [],
      recentPings: [],
    });
  });

  test('a peer has exactly these fields', async () => {
    const { peer } = await ping({ label: 'attic', class: 'M', region: 'EU', status: 'idle' });
    const shown = (await mesh()).peers.find(({ id }: Json) => id === peer.id);
    expect(shown).toEqual({
      ...aShownPeer(peer.id, clock.iso()),
      label: 'attic',
      class: 'M',
      region: 'EU',
      status: 'idle',
    });
  });

  test('every peer is listed, ordered by joinedAt, then id', async () => {
    const ids = Array.from({ length: 12 }, () => freshId('order')).reverse();
    for (const [at, nodeId] of ids.entries()) {
      if (at % 4 === 0) clock.advance(1);
      await ping({ nodeId });
    }
    // Another heartbeat does not change the order.
    await ping({ nodeId: ids[5] }, 200);
    const { peers } = consistent(await mesh());
    const listed = peers.map(({ id }: Json) => id).filter((id: string) => ids.includes(id));
    // Three moments, with four peers each.
    const expected = [0, 4, 8].flatMap((at) => ids.slice(at, at + 4).sort());
    expect(listed).toEqual(expected);
  });

  test('more peers than a cached page holds are still one list, with its totals', async () => {
    const together = Array.from({ length: 150 }, (_, n) =>
      server.post(
        PING,
        aPing({
          class: 'SML'[n % 3],
          region: `R${n % 5}`,
          status: ['online', 'syncing', 'idle', 'offline'][n % 4],
        }),
      ),
    );
    await Promise.all(together);
    const { stats } = consistent(await mesh());
    expect(stats.peers).toBeGreaterThanOrEqual(150);
    expect(stats.byRegion).toMatchObject({ R0: 30, R4: 30 });
  });

  test('a peer is offline exactly when its heartbeat is more than 60,000 ms old', async () => {
    const nodeId = freshId();
    clock.advance(60_001);
    await ping({ nodeId, status: 'syncing' });
    clock.advance(60_000);
    const just = consistent(await mesh());
    expect(statusOf(just, nodeId)).toBe('syncing');
    clock.advance(1);
    const after = consistent(await mesh());
    expect(statusOf(after, nodeId)).toBe('offline');
    expect(after.stats.syncing).toBe(just.stats.syncing - 1);
    expect(after.stats.offline).toBe(just.stats.offline + 1);
    await ping({ nodeId, status: 'syncing' }, 200);
    expect(statusOf(consistent(await mesh()), nodeId)).toBe('syncing');
  });

  test('each peer goes offline at its own moment', async () => {
    const ids = [freshId(), freshId(), freshId()];
    for (const nodeId of ids) {
      await ping({ nodeId });
      clock.advance(1000);
    }
    const seen = [];
    clock.advance(57_000);
    for (let n = 0; n < 3; n++) {
      const at = await mesh();
      clock.advance(1);
      const after = await mesh();
      seen.push([statusOf(at, ids[n] ?? ''), statusOf(after, ids[n] ?? '')]);
      clock.advance(999);
    }
    expect(seen).toEqual(Array(3).fill(['online', 'offline']));
  });

  test('a node that reports offline is offline at once, and stays offline', async () => {
    const nodeId = freshId();
    await ping({ nodeId });
    expect(statusOf(await mesh(), nodeId)).toBe('online');
    await ping({ nodeId, status: 'offline' }, 200);
    expect(statusOf(consistent(await mesh()), nodeId)).toBe('offline');
    clock.advance(60_001);
    expect(statusOf(consistent(await mesh()), nodeId)).toBe('offline');
  });

  test('regions may have the name of any JavaScript property', async () => {
    for (const region of ['__PROTO__', 'CONSTRUCTOR', 'TOSTRING']) await ping({ region });
    const { stats } = consistent(await mesh());
    expect(stats.byRegion).toMatchObject({ CONSTRUCTOR: 1, TOSTRING: 1 });
    expect(Object.hasOwn(stats.byRegion, '__PROTO__')).toBe(true);
  });

  test('recentPings: the last 45 seconds, to the millisecond, newest first', async () => {
    clock.advance(45_001);
    expect((await mesh()).recentPings).toEqual([]);
    const first = (await ping({ label: 'one', lat: 1, lng: 2 })).peer;
    clock.advance(15_000);
    const second = (await ping({ label: 'two' })).peer;
    const again = (await ping({ nodeId: first.id, lat: 3, lng: 4 }, 200)).peer;
    const { recentPings } = consistent(await mesh());
    expect(recentPings).toHaveLength(3);
    expect(recentPings[2]).toEqual({
      id: first.id,
      label: 'one',
      lat: 1,
      lng: 2,
      at: first.joinedAt,
      isNew: true,
    });
    expect(recentPings).toContainEqual({
      id: second.id,
      label: 'two',
      lat: second.lat,
      lng: second.lng,
      at: second.joinedAt,
      isNew: true,
    });
    expect(recentPings).toContainEqual({
      id: first.id,
      label: 'one',
      lat: 3,
      lng: 4,
      at: again.lastSeen,
      isNew: false,
    });
    clock.advance(30_000);
    expect((await mesh()).recentPings).toHaveLength(3);
    clock.advance(1);
    expect((await mesh()).recentPings).toHaveLength(2);
    clock.advance(14_999);
    expect((await mesh()).recentPings).toHaveLength(2);
    clock.advance(1);
    expect((await mesh()).recentPings).toEqual([]);
  });

  test('recentPings: the newest 24', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) {
      clock.advance(10);
      ids.push((await ping({})).peer.id);
    }
    const { recentPings } = consistent(await mesh());
    expect(recentPings.map(({ id }: Json) => id)).toEqual(ids.slice(-24).reverse());
  });

  test('updatedAt is the moment that the answer describes', async () => {
    // To the service a jump of the clock is a silent database: wait for its next answer.
    await eventually(async () => (await getJson(server, '/readyz')).degraded, false);
    clock.advance(1500);
    expect((await mesh()).updatedAt).toBe(clock.iso());
  });

  test('no answer contains a client’s address', async () => {
    await server.post(PING, aPing({ ip: '198.51.100.23' }), {
      headers: { 'x-forwarded-for': '198.51.100.23', forwarded: 'for=198.51.100.23' },
    });
    const seen = (await (await server.get('/api/mesh')).text()) + server.log();
    expect(seen).not.toContain('198.51.100.23');
    expect(seen).not.toContain('127.0.0.1');
  });
});
