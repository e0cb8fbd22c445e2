import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { migratePostgres } from '#db/migrate.ts';
import { sql } from 'drizzle-orm';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startNetworkProxy } from '../support/network-proxy.ts';
import { startPostgres, type PostgresServer } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SOON } from '../support/until.ts';

describe('a URL of two hosts, of which one accepts writes', () => {
  let one: PostgresServer;
  let two: PostgresServer;
  let server: TestServer;
  const makeReadOnly = async (database: PostgresServer, readOnly: boolean) => {
    const sql = postgres(database.url(), { max: 1 });
    await sql.unsafe(`set transaction_read_only = off`);
    await sql.unsafe(`alter system set default_transaction_read_only = ${readOnly}`);
    await sql.unsafe('select pg_reload_conf()');
    await sql.end();
    // Running sessions are told before one with the new setting begins.
    await vi.waitFor(async () => {
      const fresh = postgres(database.url(), { max: 1 });
      const [row] = await fresh`show default_transaction_read_only`;
      await fresh.end();
      expect(row?.['default_transaction_read_only']).toBe(readOnly ? 'on' : 'off');
    }, SOON);
  };
  const countPeers = async (database: PostgresServer) => {
    const sql = postgres(database.url(), { max: 1 });
    const [row] = await sql`select count(*)::int as n from peers`;
    await sql.end();
    return row?.['n'] as number;
  };

  beforeAll(async () => {
    [one, two] = await Promise.all([startPostgres(), startPostgres()]);
    await migratePostgres(one.url());
    await makeReadOnly(one, true);
    const [first, second] = [new URL(one.url()), new URL(two.url())];
    // The servers have different passwords, and one URL has only one.
    const sql = postgres(two.url(), { max: 1 });
    await sql.unsafe(`alter user postgres password '${first.password}'`);
    await sql.end();
    two = { ...two, url: () => Object.assign(second, { password: first.password }).href };
    server = await startTestServer({
      env: {
        DATABASE_URL: `postgres://postgres:${first.password}@${first.host},${second.host}/postgres?target_session_attrs=read-write`,
        RATE_LIMITS: 'off',
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([one.stop(), two.stop()]);
  });
  const ping = async (nodeId: string) =>
    (await server.post('/api/mesh/ping', { nodeId, lat: 1, lng: 1 })).status;

  const expectPeers = (ids: string[]) =>
    vi.waitFor(async () => {
      const mesh = (await (await server.get('/api/mesh')).json()) as { peers: { id: string }[] };
      expect(mesh.peers.map(({ id }) => id)).toEqual(ids);
    }, SOON);

  test('writes go to the one, and to the other when they change roles, also without losing a connection', async () => {
    expect(await ping('node_a')).toBe(201);
    expect([await countPeers(one), await countPeers(two)]).toEqual([0, 1]);

    await makeReadOnly(one, false);
    await makeReadOnly(two, true);
    await vi.waitFor(async () => expect(await ping('node_b')).toBeLessThan(300), SOON);
    expect([await countPeers(one), await countPeers(two)]).toEqual([1, 1]);
    // The read model is that of the database that took over.
    await expectPeers(['node_b']);

    await makeReadOnly(two, false);
    await one.kill();
    await vi.waitFor(async () => expect(await ping('node_c')).toBeLessThan(300), SOON);
    expect(await countPeers(two)).toBe(2);
    await expectPeers(['node_a', 'node_c']);
  });
});

describe('a pooler that shares sessions between clients', () => {
  let own: TestDatabase;
  beforeAll(async () => void (own = await createTestDatabase()));
  afterAll(() => own.drop());

  /** What PgBouncer answers to a client that sets something for its session. */
  const refuse = (first: Buffer): Buffer | null => {
    if (!first.includes('statement_timeout')) return null;
    const fields = [
      'SFATAL',
      'VFATAL',
      'C08P01',
      'Munsupported startup parameter: statement_timeout',
    ].map((field) => `${field}\0`);
    const body = Buffer.from(`${fields.join('')}\0`);
    const head = Buffer.from('E....');
    head.writeUInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };

  test('nothing is set for a session or prepared in it, and each statement still has its limits', async () => {
    const pooler = await startNetworkProxy(own.env.DATABASE_URL ?? inject('postgresUrl'), {
      refuse,
    });
    const database = await openDatabase({
      databaseUrl: pooler.url,
      dataDir: '',
      databasePoolSize: 2,
    });
    try {
      const ask = (query: string) =>
        database.db
          .select({ answer: sql<string>`answer` })
          .from(sql.raw(`(${query}) as asked(answer)`))
          .prepare('asked')
          .execute();
      const limit = "select current_setting('statement_timeout')";
      expect(await Promise.all([ask(limit), ask(limit)])).toEqual([
        [{ answer: '2300ms' }],
        [{ answer: '2300ms' }],
      ]);
      expect(await ask('select count(*)::text from pg_prepared_statements')).toEqual([
        { answer: '0' },
      ]);
      expect(
        await ask("select reset_val from pg_settings where name = 'statement_timeout'"),
      ).toEqual([{ answer: '0' }]);
      // Nothing that a transaction sets remains for the next client of the session.
      const times = await database.db.transaction((tx) =>
        tx
          .select({ answer: sql<string>`answer` })
          .from(
            sql`(select current_setting('idle_in_transaction_session_timeout')) as asked(answer)`,
          ),
      );
      expect(times).toEqual([{ answer: '10s' }]);
    } finally {
      await database.close();
      await pooler.cut();
    }
  });
});
