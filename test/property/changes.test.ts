import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '#server/common/errors.schema.ts';
import type { Change } from '#server/live/index.ts';
import { changesOf } from '../support/changes.ts';
import { readColumns } from '#server/mesh/place-columns.schema.ts';
import { cellOf, placeId, placeTuple, CELLS, type PlaceTuple } from '#server/mesh/places.schema.ts';
import type { Mesh, Places } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accept, revoke } from '../support/decisions.ts';
import { SLOW } from '../support/slow.ts';

/** Duration of the writes, milliseconds: a stream sends at most one event a second. */
const LOAD_MS = 9000;
const CLIENTS = 40;
/** How long a client waits for the last changes, at most: they come with two ticks of a second. */
const LAST_MS = 10_000 * SLOW;

/** A row of a list, or a place with its counts, whose id is in its first three elements. */
type Row = { id: string } | PlaceTuple;
const idOf = (row: Row) => (Array.isArray(row) ? row.slice(0, 3).join() : row.id);
type Stream = (
  lastEventId: string | undefined,
  signal: AbortSignal,
) => AsyncGenerator<Change<unknown, Row>>;

/** A client like a browser: it stores rows by id, and its cursor. */
class Client {
  rows = new Map<string, Row>();
  cursor: string | undefined;
  snapshots = 0;
  disconnects = 0;

  constructor(private readonly stream: Stream) {}

  apply({ id, type, rows, removed }: Change<unknown, Row>): void {
    if (type === 'snapshot') {
      this.rows.clear();
      this.snapshots++;
    }
    for (const row of rows) this.rows.set(idOf(row), row);
    for (const gone of removed) this.rows.delete(gone);
    this.cursor = id;
  }

  /**
   * Follows for a while, then loses the connection and everything in transit.
   * @param atEnd after a change: whether there is nothing left to follow
   */
  async follow(ms: number, atEnd = () => false): Promise<void> {
    const connection = new AbortController();
    const timer = setTimeout(() => connection.abort(), ms);
    try {
      for await (const change of this.stream(this.cursor, connection.signal)) {
        if (connection.signal.aborted) break;
        this.apply(change);
        if (atEnd()) break;
      }
    } finally {
      clearTimeout(timer);
      this.disconnects++;
    }
  }
}

describe('the event streams', () => {
  let server: TestServer;
  let now = Date.now();
  const startedAt = performance.now();
  let stoppedAt: number | undefined;
  /** Follows real time until it is stopped; the test also advances it. */
  const clock = () => Math.round(now + (stoppedAt ?? performance.now()) - startedAt);

  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off', LOG_LEVEL: 'warn' }, clock });
  });
  afterAll(() => server.stop());

  it('a client that disconnects at any moment and resumes with its last id ends with the rows of the lists', async () => {
    const { services } = server;
    const mesh: Stream = (id, signal) => changesOf(services.mesh.changes(id, signal));
    const computes: Stream = (id, signal) => changesOf(services.computes.changes(id, signal));
    const places: Stream = (id, signal) => changesOf(services.mesh.placeChanges(id, signal));
    const streams = [mesh, computes, places];

    let writing = true;
    const names = Array.from({ length: 6 }, (_, n) => `name-${n}`);
    const ids = new Map<string, string>();
    const steps = fc.sample(
      fc.oneof(
        { weight: 6, arbitrary: fc.record({ do: fc.constant('ping' as const), n: fc.nat(30) }) },
        {
          weight: 5,
          arbitrary: fc.record({
            do: fc.constant('announce' as const),
            n: fc.nat(5),
            free: fc.nat(2),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({ do: fc.constant('activate' as const), n: fc.nat(5) }),
        },
        { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), n: fc.nat(5) }) },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constantFrom('block' as const, 'unblock' as const, 'hide' as const),
            // node_0 announces.
            n: fc.integer({ min: 1, max: 30 }),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant('pass' as const),
            ms: fc.constantFrom(10_000, 61_000, 301_000),
          }),
        },
      ),
      5000,
    );
    const writer = (async () => {
      for (const step of steps) {
        if (!writing) return;
        if (step.do === 'pass') now += step.ms;
        const { nodes } = services;
        const node = 'n' in step ? `node_${step.n}` : '';
        const blocked = services.context.live.nodes.isBlocked(node);
        if (step.do === 'ping' && !blocked)
          await services.mesh.ping({
            nodeId: node,
            lat: step.n % 7,
            lng: 0,
            status: step.n % 3 ? 'online' : 'idle',
          });
        if (step.do === 'block' && !blocked && services.mesh.peer(node))
          await nodes.block({ nodeId: node, reason: 'It floods.', reviewer: 'alice' });
        // One that is online may have been hidden before.
        if (step.do === 'hide' && !blocked)
          await nodes
            .remove(node, null)
            .catch((error: AppError) => expect(error.code).toMatch(/not_found|invalid_state/));
        if (step.do === 'unblock' && blocked)
          await nodes.unblock({ nodeId: node, reason: 'It is well.', reviewer: 'alice' });
        const name = 'n' in step ? (names[step.n] ?? '') : '';
        if (step.do === 'announce')
          await services.computes.announce({
            nodeId: 'node_0',
            computes: [{ name, replicas: 2, freeSlots: step.free }],
          });
        if (step.do === 'activate' && !ids.has(name)) {
          const { id } = await services.registration.start({
            action: 'start',
            name,
            nodeId: 'node_0',
            kinds: ['compute'],
            class: 'S',
            region: 'ZZ',
          });
          await services.registration.confirm({ id });
          await accept(services, { id, reviewer: 'alice' });
          ids.set(name, id);
        }
        const id = ids.get(name);
        if (step.do === 'revoke' && id !== undefined) {
          ids.delete(name);
          await revoke(services, { id, reviewer: 'alice', reason: 'gone' });
        }
        await sleep(3);
      }
    })();

    const clients = Array.from({ length: CLIENTS }, (_, n) => new Client(streams[n % 3] as Stream));
    const pauses = fc.sample(
      fc.tuple(fc.integer({ min: 1, max: 2500 }), fc.nat(1500)),
      CLIENTS * 20,
    );
    const endAt = performance.now() + LOAD_MS;
    const living = clients.map(async (client, at) => {
      for (let n = 0; performance.now() < endAt; n++) {
        const [connected, away] = pauses[(at * 20 + n) % pauses.length] ?? [1000, 0];
        await client.follow(connected);
        await sleep(away);
      }
    });
    await sleep(LOAD_MS);
    writing = false;
    await writer;
    await Promise.all(living);
    // From here on time changes nothing between an event and the list it is compared with.
    stoppedAt = performance.now();
    const list = async (path: string, key: string) => {
      const answer = (await (await server.get(path)).json()) as Record<string, Row[]>;
      return sorted(answer[key] ?? []);
    };
    const peers = await list('/api/mesh', 'peers');
    const rows = await list('/api/registry/computes', 'computes');
    expect(peers.length).toBeGreaterThan(10);
    const whole = await server.get('/api/trpc/mesh.places');
    const { result } = (await whole.json()) as { result: { data: Places } };
    const counted = sorted(countPlaces(peers as Mesh['peers']));
    expect(sorted(readColumns(result.data.places).map(placeTuple))).toEqual(counted);
    const expected = [peers, rows, counted];
    const shown = (client: Client) => sorted([...client.rows.values()]);
    // The last changes come with the next ticks.
    await Promise.all(
      clients.map(async (client, at) => {
        const isSame = () => isDeepStrictEqual(shown(client), expected[at % 3]);
        if (!isSame()) await client.follow(LAST_MS, isSame);
      }),
    );
    for (const [at, client] of clients.entries()) {
      expect(shown(client), `client ${at}`).toEqual(expected[at % 3]);
      // It resumed, rather than starting again each time.
      expect(client.snapshots).toBeLessThanOrEqual(client.cursor === undefined ? 0 : 1);
    }
    expect(clients.some((client) => client.disconnects > 3)).toBe(true);
  });

  it('a cursor of another process, or a made-up one, gets a snapshot', async () => {
    const cursors = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc
        .tuple(fc.stringMatching(/^[0-9a-f]{12}$/), fc.nat(), fc.nat())
        .map((parts) => `${parts.join('.')}.0`),
      fc
        .nat({ max: 2 ** 31 - 1 })
        .map((n) => (server.services.mesh.cursor() ?? '').replace(/\.\d+\./, `.9${n}00000000.`)),
    );
    await fc.assert(
      fc.asyncProperty(cursors, async (cursor) => {
        const connection = new AbortController();
        const stream = changesOf(server.services.mesh.changes(cursor, connection.signal));
        const first = await stream.next();
        expect(first.value).toMatchObject({ type: 'snapshot' });
        connection.abort();
        await stream.return(undefined);
      }),
      { numRuns: 100 },
    );
  });
});

const sorted = (rows: Row[]) => [...rows].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

/** The places of these peers, counted from scratch. */
function countPlaces(peers: Mesh['peers']): PlaceTuple[] {
  const places = new Map<string, number[]>();
  for (const peer of peers) {
    const counts = places.get(placeId(peer)) ?? CELLS.map(() => 0);
    const cell = cellOf(peer.status, peer.class);
    counts[cell] = (counts[cell] ?? 0) + 1;
    places.set(placeId(peer), counts);
  }
  return [...places].map(([id, counts]) => {
    const [lat, lng, region = ''] = id.split(',');
    return placeTuple({ id, lat: Number(lat), lng: Number(lng), region, counts });
  });
}
