import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { Computes } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { PASSWORD } from '../support/reviewer.ts';
import { AUTH_SECRET, startTestServer, type TestServer } from '../support/server.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases.ts';
import {
  endAllServers,
  runServerToEnd,
  startServerProcess,
  type ServerProcess,
} from '../support/server-process.ts';
import { SLOW } from '../support/slow.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { expectNothingHalf, expectNothingLost, readAll, readAllAndClose } from './contents.ts';
import { Load } from './load.ts';
import { getJson, post } from './support.ts';
import { accept } from '../support/decisions.ts';
import { untilGone } from '../support/embedded.ts';
import { until } from '../support/until.ts';

/** What takes a second or two on an idle machine, milliseconds. */
const SOON_MS = 10_000;
/** A stopping server leaves idle connections open for 300 ms: requests sent this soon after the signal are answered. */
const ARRIVES_MS = 250;
const SERVERS = 5;

afterAll(endAllServers);

describe('five servers that start together on one empty PostgreSQL database', () => {
  const env = { AUTH_SECRET };
  let database: PostgresDatabase;
  let servers: ServerProcess[];
  let first: ServerProcess;
  let others: ServerProcess[];
  beforeAll(async () => {
    database = await createPostgresDatabase(inject('postgresUrl'));
    servers = await Promise.all(
      Array.from({ length: SERVERS }, () =>
        startServerProcess({ DATABASE_URL: database.url, ...env }),
      ),
    );
    [first, ...others] = servers as [ServerProcess, ...ServerProcess[]];
  });
  afterAll(async () => {
    endAllServers();
    await database.drop();
  });

  /** A server in this process, for what is asked of its services. */
  async function withServices<Result>(
    ask: (services: TestServer['services']) => Promise<Result>,
  ): Promise<Result> {
    const server = await startTestServer({ env: { DATABASE_URL: database.url, ...env } });
    try {
      return await ask(server.services);
    } finally {
      await server.stop();
    }
  }

  it('migrate it once', async () => {
    for (const { url } of servers)
      await until('ready, and level with the database', async () => {
        const { ok, degraded } = await getJson<{ ok: boolean; degraded: boolean }>(url, '/readyz');
        return ok && !degraded;
      });
    await expectMigratedOnce(database.url);
  });

  it('print the same link for the first administrator, until one has joined with it', async () => {
    const last = servers[SERVERS - 1]!;
    const [token = ''] = tokensIn(first);
    expect(token).not.toBe('');
    expect(servers.map(tokensIn)).toEqual(Array(SERVERS).fill([token]));
    for (const server of servers) expect(await open(linksIn(server)[0]!)).toBe(200);

    // One with another secret cannot know the token, and must not make it void.
    const other = await startServerProcess({
      DATABASE_URL: database.url,
      AUTH_SECRET: 'a secret that no other server has in this test',
    });
    expect(linksIn(other)).toEqual([]);
    expect(other.output()).toContain('A server with another AUTH_SECRET printed a link');
    expect(await open(linksIn(last)[0]!)).toBe(200);
    expect(await other.end('SIGTERM')).toBe(0);

    const joined = await fetch(linksIn(last)[0]!, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: 'ada@example.org', name: 'Ada', password: PASSWORD }),
      headers: { origin: last.url },
    });
    expect(joined.status).toBe(303);
    const cookie = joined.headers.getSetCookie().join().replace(/;.*/, '');
    const reviewers = await fetch(`${first.url}/review/reviewers`, { headers: { cookie } });
    expect(await reviewers.text()).toContain('ada@example.org');
    for (const server of servers) expect(await open(linksIn(server)[0]!)).toBe(404);
    // A later start prints what this returns.
    expect(await withServices(({ accounts }) => accounts.firstLink())).toBeNull();
  });

  it('show each other’s writes', async () => {
    const seen = (what: string, holds: (url: string) => Promise<boolean>) =>
      Promise.all(others.map(({ url }) => until(what, () => holds(url), SOON_MS)));

    // A heartbeat.
    expect((await post(first.url, '/api/mesh/ping', ping)).status).toBe(201);
    await seen('the ping', async (url) => {
      const { peers } = await getJson<Mesh>(url, '/api/mesh');
      return peers.some(({ id, label }) => id === 'node_a' && label === 'shared');
    });
    // An announcement, and the activation that makes it listed.
    const registration = (await (
      await post(first.url, '/api/registry/register', start('garage'))
    ).json()) as Registration;
    await post(others[0]?.url ?? '', '/api/registry/register', {
      action: 'confirm',
      id: registration.id,
    });
    await post(first.url, '/api/registry/computes', announce);
    await withServices((services) => accept(services, { id: registration.id, reviewer: 'alice' }));
    await until(
      'the activation, on the server that was announced to',
      async () => (await getJson<Registry>(first.url, '/api/registry')).count === 1,
      SOON_MS,
    );
    await seen('the activation', async (url) => {
      const { entries } = await getJson<Registry>(url, '/api/registry');
      return entries.some(({ name, compute }) => name === 'garage' && compute?.freeSlots === 2);
    });
    await seen('the compute', async (url) => {
      const { computes } = await getJson<Computes>(url, '/api/registry/computes');
      return computes.some(({ id }) => id === 'node_a:garage');
    });
  });

  it('give a name to one of those who want it at the same time, and to a key its first answer', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        servers.map(({ url }) => post(url, '/api/registry/register', start(`contested-${round}`))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 409, 409, 409, 409]);
    }
    const same = await Promise.all(
      servers.map(({ url }) =>
        post(url, '/api/registry/register', start('repeated'), {
          headers: { 'idempotency-key': 'key-1' },
        }),
      ),
    );
    const ids = await Promise.all(
      same.map(async (answer) => ((await answer.json()) as Registration).id),
    );
    expect(same.map(({ status }) => status)).toEqual(Array(SERVERS).fill(201));
    expect(new Set(ids).size).toBe(1);
  });

  it('accept concurrent writes for the same nodes without errors or lost updates', async () => {
    const nodes = Array.from({ length: 20 }, (_, n) => `node_${n}`);
    const statuses = new Set<number>();
    const joined = new Map<string, number>();
    await Promise.all(
      [...servers, ...servers].map(async ({ url }, client) => {
        for (const [n, nodeId] of shuffled(nodes).entries()) {
          const answer = await post(url, '/api/mesh/ping', { nodeId, lat: 1, lng: 2 });
          statuses.add(answer.status);
          if (answer.status === 201) joined.set(nodeId, (joined.get(nodeId) ?? 0) + 1);
          const computes = ['b', 'a', 'c'].map((name) => ({
            name: `${name}0`,
            image: `image:${client}`,
            replicas: 1,
            freeSlots: n,
          }));
          statuses.add((await post(url, '/api/registry/computes', { nodeId, computes })).status);
        }
      }),
    );
    expect([...statuses].sort()).toEqual([200, 201]);
    // Each node is new exactly once.
    expect([...joined.values()]).toEqual(nodes.map(() => 1));
    // All offers of a node are of one announcement.
    const opened = await openDatabase({ databaseUrl: database.url, dataDir: '' });
    const contents = await readAllAndClose(opened);
    expect(contents.computes.filter(({ nodeId }) => nodes.includes(nodeId))).toHaveLength(60);
    expectNothingHalf(contents);
  });

  it('end in good order', async () => {
    expect(await Promise.all(servers.map((server) => server.end('SIGTERM')))).toEqual(
      Array(SERVERS).fill(0),
    );
  });
});

/** A test goes on with what the one before it has left. */
describe('one data directory', () => {
  const directory = temporaryDirectory();
  const startHere = () => startServerProcess({ DATA_DIR: directory.path });
  let server: ServerProcess;
  beforeAll(async () => void (server = await startHere()));
  afterAll(async () => {
    endAllServers();
    await untilGone(join(directory.path, 'postgres'));
    directory.remove();
  });

  it('is refused to a second process, which soon exits with an error naming the first', async () => {
    const second = await runServerToEnd({ DATA_DIR: directory.path });
    expect(second.code).not.toBe(0);
    expect(second.output).toContain(String(server.pid));
    expect(second.output).toContain(directory.path);
    expect(second.output).not.toContain('    at ');
    expect(second.ms).toBeLessThan(SOON_MS * SLOW);
    // The first one is unaffected.
    expect((await post(server.url, '/api/mesh/ping', ping)).status).toBe(201);
  });

  it('is ready again soon, with its contents', async () => {
    expect(await server.end('SIGTERM')).toBe(0);
    server = await startHere();
    expect(server.readyMs).toBeLessThan(SOON_MS * SLOW);
    expect((await getJson<Mesh>(server.url, '/api/mesh')).peers).toHaveLength(1);
  });

  it('goes to exactly one of five processes that start together, even after its last owner was killed', async () => {
    await server.end('SIGKILL');
    const starts = await Promise.allSettled(Array.from({ length: SERVERS }, startHere));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const start of starts)
      if (start.status === 'rejected')
        expect(String(start.reason)).toContain('is in use by process');
  });
});

describe('a signal to stop under load', () => {
  it.each([
    ['SIGTERM', 'embedded'],
    ['SIGINT', 'given'],
  ] as const)(
    'answers every request that has arrived, exits with 0, and keeps everything it acknowledged: %s, %s',
    async (name, kind) => {
      const directory = temporaryDirectory();
      const database =
        kind === 'given' ? await createPostgresDatabase(inject('postgresUrl')) : null;
      const env: Record<string, string> = database
        ? { DATABASE_URL: database.url }
        : { DATA_DIR: directory.path };
      try {
        const server = await startServerProcess(env);
        const load = new Load(() => server.url);
        load.start();
        // A connection that the server has not accepted yet is not a request in flight.
        await until('every client is connected', () => load.warm);
        const signalledAt = performance.now();
        // The clients continue until the server stops listening.
        const code = await server.end(name);
        await load.stop();
        expect(code, server.output()).toBe(0);
        // Every request was answered or refused: none was accepted and then dropped.
        expect(
          [...load.statuses.keys()].filter((status) => ![0, 200, 201].includes(status)),
        ).toEqual([]);
        // A client that a slow machine held up for longer may find its connection closed.
        expect(load.dropped.filter(({ sentAt }) => sentAt < signalledAt + ARRIVES_MS)).toEqual([]);

        const again = await startTestServer({ env });
        try {
          const contents = await readAll(again.database);
          expectNothingLost(contents, load);
          expectNothingHalf(contents);
          const { peers } = await getJson<Mesh>(again.url, '/api/mesh');
          expect(peers.map(({ id }) => id)).toEqual(
            expect.arrayContaining([...load.acknowledged.pings.keys()]),
          );
        } finally {
          await again.stop();
        }
      } finally {
        endAllServers();
        await database?.drop();
        directory.remove();
      }
    },
  );
});

const ping = { nodeId: 'node_a', lat: 1, lng: 2, label: 'shared' };
const announce = { nodeId: 'node_a', computes: [{ name: 'garage', replicas: 3, freeSlots: 2 }] };
const start = (name: string) => ({
  action: 'start',
  name,
  nodeId: 'node_a',
  kinds: ['node', 'compute'],
});

const linksIn = ({ output }: ServerProcess) => output().match(/http\S+\/review\/join\/\S+/g) ?? [];
const tokensIn = (server: ServerProcess) => linksIn(server).map((link) => link.replace(/.*\//, ''));
const open = async (link: string) => (await fetch(link)).status;

const shuffled = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);

async function expectMigratedOnce(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  try {
    const applied = await sql`select hash from drizzle.__drizzle_migrations`;
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied.map(({ hash }) => hash as string)).size).toBe(applied.length);
    const [seeded] = await sql`select count(*)::int as names from reserved_names`;
    expect(seeded?.['names']).toBeGreaterThan(20);
  } finally {
    await sql.end();
  }
}
