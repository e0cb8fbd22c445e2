import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { backup, checkBackup, readBackup, restoreInto, writeBackup } from '#db/backup/index.ts';
import { applySettings, quoted } from '#db/backup/dump.ts';
import { BackupReader } from '#db/backup/format.ts';
import { openDatabase } from '#db/client.ts';
import type { TransactionClient } from '#db/connection/connection.ts';
import { knownMigrations } from '#db/migrate.ts';
import { Pool } from '#db/connection/pool.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases.ts';
import { PASSWORD } from '../support/reviewer.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/**
 * A backup that the last version before the baseline has made, of a database that release 0.1 has written and that
 * version has migrated: 40 nodes, four registrations, two reviewers.
 */
const FIXTURE = join(import.meta.dirname, 'before-baseline.gz');
const GARAGE = 'reg_ZVCutFjU3sov3BwJCgSm9_Yk';
const ATTIC = 'reg_9d4NP4_k4X_2fYZLmbrUjSNO';
const CELLAR = 'reg_ABD8yPKVrJoFjSMxumOt7dXb';

const directory = temporaryDirectory();
const databases: PostgresDatabase[] = [];
let count = 0;
afterAll(async () => {
  for (const { drop } of databases) await drop();
  directory.remove();
});

async function place() {
  const dataDir = join(directory.path, String(count++));
  const database = await createPostgresDatabase(inject('postgresUrl'));
  databases.push(database);
  return { databaseUrl: database.url, dataDir };
}

/** The database as that version left it: the tables that the baseline makes, but the record of sixteen migrations. */
async function asItWas() {
  const at = await place();
  const pool = new Pool(at.databaseUrl, { max: 1 });
  await pool.begin((client) => load(client));
  await pool.close();
  return at;
}

async function load(client: TransactionClient): Promise<void> {
  await applySettings(client);
  const reader = new BackupReader(readBackup(FIXTURE));
  const { migrations } = await reader.header();
  expect(migrations).toHaveLength(16);
  for (const statement of knownMigrations()[0].sql) await client.unsafe(statement);
  await client.unsafe('create schema drizzle');
  await client.unsafe(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  );
  for (const [n, hash] of migrations.entries())
    await client.unsafe(
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${n})`,
    );
  for await (const { table, columns, rows } of reader.tables()) {
    await client.unsafe(`delete from ${table}`);
    await client.copyIn(`copy ${table} (${columns.map(quoted).join(', ')}) from stdin`, rows);
  }
}

describe('a database of the last version before the baseline', () => {
  it('is taken over by a start: its names, nodes, registrations and reviewers are there', async () => {
    const at = await asItWas();
    const server = await startTestServer({
      // It has hashed them as in production.
      passwordHashing: null,
      env: {
        DATABASE_URL: at.databaseUrl,
        DATA_DIR: at.dataDir,
      },
    });
    try {
      const json = async <T>(path: string) => (await (await server.get(path)).json()) as T;
      const { entries } = await json<Registry>('/api/registry');
      expect(entries).toMatchObject([
        // The label of its node, which its registration doesn't have.
        { name: 'garage', nodeId: 'node_1', kinds: ['node', 'compute'], label: 'Node 1' },
      ]);
      expect(await json<Registration>(`/api/registry/register?id=${GARAGE}`)).toMatchObject({
        label: 'Label of garage',
      });
      const { peers } = await json<Mesh>('/api/mesh');
      expect(peers.find(({ id }) => id === 'node_1')).toMatchObject({
        label: 'Node 1',
        class: 'M',
      });
      for (const [id, status] of [
        [GARAGE, 'active'],
        [ATTIC, 'rejected'],
        [CELLAR, 'pending_review'],
      ] as const)
        expect(await json<Registration>(`/api/registry/register?id=${id}`)).toMatchObject({
          status,
        });
      expect(await server.services.accounts.list()).toMatchObject({
        reviewers: [
          { email: 'ada@example.org', role: 'administrator' },
          { email: 'eve@example.org', role: 'reviewer' },
        ],
      });
      expect(await server.services.accounts.firstLink()).toBeNull();
      const signedIn = await server.services.accounts.signIn(
        { email: 'ada@example.org', password: PASSWORD },
        new Headers(),
      );
      expect(signedIn.cookies.length).toBeGreaterThan(0);
      // The node is known, and its heartbeat is written by this release.
      const ping = await server.post('/api/mesh/ping', { nodeId: 'node_1', lat: 1, lng: 2 });
      expect(ping.status).toBe(200);
      const blocked = await server.post('/api/mesh/ping', { nodeId: 'node_5', lat: 1, lng: 2 });
      expect(blocked.status).toBe(403);
      const name = { action: 'start', name: 'garage', nodeId: 'node_9', kinds: ['node'] };
      expect((await server.post('/api/registry/register', name)).status).toBe(409);
    } finally {
      await server.stop();
    }
  });

  it('holds the same after a start as after restoring a backup of it', async () => {
    const started = await asItWas();
    await (await openDatabase(started)).close();
    const restored = await place();
    await restoreInto(restored, FIXTURE);
    const [one, other] = await Promise.all(
      [started, restored].map(async (at) => {
        const file = join(directory.path, `${count++}.gz`);
        await backup(at, (bytes) => writeBackup(file, bytes));
        return checkBackup(file);
      }),
    );
    // A restore adds the row of the public log: it says that the log has to be compared first.
    const { log_head: added, ...tables } = other?.footer.tables ?? {};
    const { log_head: none, ...startedTables } = one?.footer.tables ?? {};
    expect([added?.rows, none?.rows]).toEqual([1, 0]);
    expect(tables).toEqual(startedTables);
    expect(other?.footer.tables['registrations']?.rows).toBe(4);
    for (const backedUp of [one, other])
      expect(backedUp?.header.migrations).toEqual(knownMigrations().map(({ hash }) => hash));
  });
});
