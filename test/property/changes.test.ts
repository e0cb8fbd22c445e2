import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Change } from '#server/live/index.ts';
import { changesOf } from '../support/changes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accept, revoke } from '../support/decisions.ts';

/** Duration of the writes, milliseconds: a stream sends at most one event a second. */
const LOAD_MS = 9000;
const CLIENTS = 40;

type Row = { id: string };
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
    for (const row of rows) this.rows.set(row.id, row);
    for (const gone of removed) this.rows.delete(gone);
    this.cursor = id;
  }

  /** Follows for a while, then loses the connection and everything in transit. */
  async follow(ms: number): Promise<void> {
    const connection = new AbortController();
    const timer = setTimeout(() => connection.abort(), ms);
    try {
      for await (const change of this.stream(this.cursor, connection.signal)) {
        if (connection.signal.aborted) break;
        this.apply(change);
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

  it(
    'a client that disconnects at any moment and resumes with its last id ends with the rows of the lists',
    { timeout: 60_000 },
    async () => {
      const { services } = server;
      const mesh: Stream = (id, signal) => changesOf(services.mesh.changes(id, signal));
      const computes: Stream = (id, signal) => changesOf(services.computes.changes(id, signal));

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
          if (step.do === 'ping')
            await services.mesh.ping({ nodeId: `node_${step.n}`, lat: step.n, lng: 0 });
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

      const clients = Array.from(
        { length: CLIENTS },
        (_, n) => new Client(n % 2 ? mesh : computes),
      );
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
      // Two ticks for the last changes.
      await Promise.all(clients.map((client) => client.follow(2500)));

      const list = async (path: string, key: string) => {
        const answer = (await (await server.get(path)).json()) as Record<string, Row[]>;
        return sorted(answer[key] ?? []);
      };
      const peers = await list('/api/mesh', 'peers');
      const rows = await list('/api/registry/computes', 'computes');
      expect(peers.length).toBeGreaterThan(10);
      for (const [at, client] of clients.entries()) {
        expect(sorted([...client.rows.values()]), `client ${at}`).toEqual(at % 2 ? peers : rows);
        // It resumed, rather than starting again each time.
        expect(client.snapshots).toBeLessThanOrEqual(client.cursor === undefined ? 0 : 1);
      }
      expect(clients.some((client) => client.disconnects > 3)).toBe(true);
    },
  );

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

const sorted = (rows: Row[]) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
