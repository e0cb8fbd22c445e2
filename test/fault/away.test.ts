import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { signal } from '../support/processes.ts';
import { SLOW } from '../support/slow.ts';
import { until } from '../support/until.ts';
import { Load } from './load.ts';
import { freezePostgres, getJson, postgresProcesses } from './support.ts';

/** A refusal takes about 5 s. */
const REFUSAL_MS = 8000 * SLOW;
/** Recovery takes less than 2 s. */
const RECOVERY_MS = 5000;
/** An abandoned statement ends after STATEMENT_TIMEOUT_MS. The database would end an abandoned transaction only after 10 s. */
const LEFT_BEHIND_MS = 8000;

interface Ready {
  ok: boolean;
  database: 'up' | 'down';
  degraded: boolean;
  updatedAt: string;
}

describe('while PostgreSQL is unavailable', () => {
  let database: PostgresServer;
  let server: TestServer;
  let registrationId: string;
  const rejections: unknown[] = [];
  const remember = (error: unknown) => void rejections.push(error);

  beforeAll(async () => {
    process.on('unhandledRejection', remember);
    database = await startPostgres();
    server = await startTestServer({
      env: { DATABASE_URL: database.url(), RATE_LIMITS: 'off', LOG_LEVEL: 'warn' },
    });
    await server.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2, label: 'before' });
    await server.post('/api/registry/computes', { nodeId: 'node_a', computes: [compute('one')] });
    const started = (await (await server.post('/api/registry/register', start('kept'))).json()) as {
      id: string;
    };
    registrationId = started.id;
  });
  afterAll(async () => {
    await server.stop();
    await database.stop();
    process.off('unhandledRejection', remember);
    expect(rejections).toEqual([]);
  });

  // Even after a test that failed halfway.
  afterEach(() => database.start());

  const compute = (name: string) => ({ name, replicas: 1, freeSlots: 1 });
  const start = (name: string) => ({ action: 'start', name, nodeId: 'node_a', kinds: ['node'] });
  let names = 0;

  /** One request of each kind that needs the database. */
  const writes = (): Promise<Response>[] => [
    server.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2, label: 'away' }),
    server.post('/api/mesh/ping', { nodeId: 'node_b', lat: 1, lng: 2 }),
    server.post('/api/registry/computes', { nodeId: 'node_a', computes: [compute('one')] }),
    server.post('/api/registry/register', start(`away-${names++}`)),
    server.post('/api/registry/register', { action: 'confirm', id: registrationId }),
    server.get(`/api/registry/register?id=${registrationId}`),
    server.post('/api/trpc/registry.start', {
      name: `away-${names++}`,
      nodeId: 'n1',
      kinds: ['node'],
    }),
  ];

  async function expectRefused(): Promise<void> {
    const startedAt = performance.now();
    const answers = await Promise.all(
      writes().map(async (sent) => {
        const response = await sent;
        return { response, body: (await response.json()) as { code?: string } };
      }),
    );
    expect(performance.now() - startedAt).toBeLessThan(REFUSAL_MS);
    for (const { response, body } of answers) {
      expect(response.status, response.url).toBe(503);
      if (response.url.includes('/trpc/'))
        expect(body).toMatchObject({ error: { data: { code: 'unavailable' } } });
      else {
        expect(body, response.url).toMatchObject({ ok: false, code: 'unavailable' });
        expect(Number(response.headers.get('retry-after')), response.url).toBeGreaterThan(0);
      }
    }
  }

  /** Reads continue from the read model, and tell how old it is. */
  async function expectReadsGoOn(): Promise<void> {
    await until('degraded', async () => (await ready()).degraded);
    expect(await ready()).toMatchObject({ ok: true, database: 'down', readModel: 'loaded' });
    expect((await server.get('/healthz')).status).toBe(200);
    expect((await server.get('/')).status).toBe(200);
    expect(await (await server.get('/status')).text()).toContain('The database is unavailable');
    // Answers count as current for a moment after the database stops answering.
    await until('updatedAt stops', async () => {
      const { updatedAt } = await getJson<{ updatedAt: string }>(server.url, '/api/mesh');
      return Date.now() - Date.parse(updatedAt) > 2000;
    });
    for (const path of ['/api/mesh', '/api/registry/computes', '/api/registry']) {
      const first = await getJson<{ updatedAt: string }>(server.url, path);
      await sleep(1200);
      const second = await getJson<{ updatedAt: string }>(server.url, path);
      expect(second.updatedAt, path).toBe(first.updatedAt);
    }
    const { peers } = await getJson<{ peers: { id: string }[] }>(server.url, '/api/mesh');
    expect(peers.map(({ id }) => id)).toContain('node_a');
    expect((await server.get('/api/registry/register')).status).toBe(200);
    // Names are looked up in memory while that is current; after that, an old answer would be a promise.
    expect((await server.get('/api/registry/register?name=someone')).status).toBe(503);
    expect((await server.get('/metrics')).status).toBe(200);
  }

  const ready = () => getJson<Ready>(server.url, '/readyz');

  async function expectRecovery(): Promise<void> {
    const [backAt, back] = [performance.now(), Date.now()];
    await until(
      'a ping is stored again',
      async () =>
        (await server.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2, label: 'after' }))
          .status === 200,
      RECOVERY_MS,
    );
    await until('no longer degraded', async () => !(await ready()).degraded, RECOVERY_MS);
    console.log(`recovered in ${Math.round(performance.now() - backAt)} ms`);
    // Some may still wait for a row that an earlier statement holds.
    await until(
      'all writes succeed again',
      async () => (await Promise.all(writes())).every(({ ok }) => ok),
      RECOVERY_MS,
    );
    const mesh = () =>
      getJson<{ updatedAt: string; peers: { id: string }[] }>(server.url, '/api/mesh');
    await until('updatedAt advances', async () => Date.parse((await mesh()).updatedAt) > back);
    const { peers } = await mesh();
    expect(peers.map(({ id }) => id)).toEqual(expect.arrayContaining(['node_a', 'node_b']));
    // Refused requests leave nothing running on the server.
    const sql = postgres(database.url(), { max: 1 });
    const busy = async () => {
      const [sessions] = await sql`
        select count(*)::int as busy from pg_stat_activity
        where application_name = 'mesh-registry' and state <> 'idle'`;
      return Number(sessions?.['busy']);
    };
    // One may be the read model's.
    try {
      await until('no session is busy', async () => (await busy()) <= 1, LEFT_BEHIND_MS);
    } finally {
      await sql.end();
    }
  }

  it('writes get 503, reads continue, and the service recovers automatically after a crash', async () => {
    await database.kill();
    await expectRefused();
    await expectReadsGoOn();
    await expectRefused();
    await database.start();
    await expectRecovery();
  });

  it('it does the same after an orderly shutdown under load', async () => {
    const load = new Load(() => server.url);
    load.start();
    await until('every client has had answers', () => load.warm);
    const [postmaster = 0] = postgresProcesses(database.directory);
    process.kill(postmaster, 'SIGINT');
    await until('writes are refused', () => (load.statuses.get(503) ?? 0) > 0);
    await load.stop();
    // Otherwise it would not be started again.
    await until('PostgreSQL has ended', () => !isRunning(postmaster));
    expect([...load.statuses.keys()].filter((code) => ![200, 201, 503].includes(code))).toEqual([]);
    await expectRefused();
    await database.start();
    await expectRecovery();
  });

  it('it does the same when PostgreSQL hangs: accepts connections and never answers', async () => {
    const stopped = freezePostgres(database.directory);
    try {
      await expectRefused();
      await expectReadsGoOn();
      // Continuous load leaves nothing behind that the next write would wait for.
      const load = new Load(() => server.url);
      load.start();
      // As many as there are clients.
      await until('every client was refused', () => (load.statuses.get(503) ?? 0) >= 24);
      expect([...load.statuses.keys()]).toEqual([503]);
      signal(stopped, 'SIGCONT');
      await load.stop();
    } finally {
      signal(stopped, 'SIGCONT');
    }
    await expectRecovery();
  });

  it('a request does not wait forever for a row that someone else has locked', async () => {
    const sql = postgres(database.url(), { max: 1 });
    try {
      await sql.begin(async (holder) => {
        await holder`select * from peers where id = 'node_a' for update`;
        const startedAt = performance.now();
        const [ping, announce] = await Promise.all([
          server.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2 }),
          server.post('/api/registry/computes', { nodeId: 'node_a', computes: [compute('one')] }),
        ]);
        expect(performance.now() - startedAt).toBeLessThan(REFUSAL_MS);
        expect([ping.status, announce.status]).toEqual([503, 200]);
      });
    } finally {
      await sql.end();
    }
    await expectRecovery();
  });

  it('every request is answered while connections are ended under load', async () => {
    const sql = postgres(database.url(), { max: 1 });
    const load = new Load(() => server.url);
    load.start();
    for (let n = 0; n < 20; n++) {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'mesh-registry'`;
      await sleep(50);
    }
    await sql.end();
    await load.stop();
    expect([...load.statuses.keys()].filter((code) => ![200, 201, 503].includes(code))).toEqual([]);
    await expectRecovery();
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
