import { readMigrationFiles } from 'drizzle-orm/migrator';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { backup, checkBackup, readBackup, restoreInto, writeBackup } from '#db/backup/index.ts';
import { BackupReader } from '#db/backup/reader.ts';
import { applySettings, sessionOf, type Session } from '#db/backup/session.ts';
import { openDatabase } from '#db/client.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { Pool } from '#db/connection/pool.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases.ts';
import { PASSWORD } from '../support/reviewer.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A database that a service of release 0.1 has written: 40 nodes, four registrations, two reviewers. */
const FIXTURE = join(import.meta.dirname, 'release-0.1.gz');
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

/** The database as release 0.1 left it: its tables, its migrations and no later ones. */
async function asItWas() {
  const at = await place();
  const pool = new Pool(at.databaseUrl, { max: 1 });
  await pool.begin((client) => load(sessionOf(client)));
  await pool.close();
  return at;
}

async function load(session: Session): Promise<void> {
  await applySettings(session);
  const reader = new BackupReader(readBackup(FIXTURE));
  const { migrations } = await reader.header();
  await session.rows('create schema drizzle');
  await session.rows(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  );
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder }).slice(
    0,
    migrations.length,
  )) {
    for (const statement of sql) await session.rows(statement);
    await session.rows(
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis})`,
    );
  }
  for await (const { table, columns, rows } of reader.tables()) {
    await session.rows(`delete from ${table}`);
    await session.copyIn(`${table} (${columns.join(', ')})`, rows);
  }
}

describe('a database of release 0.1', () => {
  it('is upgraded by a start: its names, nodes, registrations and reviewers are there', async () => {
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
        { name: 'garage', nodeId: 'node_1', kinds: ['node', 'compute'], label: 'Label of garage' },
      ]);
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

  it('holds the same after an upgrade as after restoring a backup of it', async () => {
    const upgraded = await asItWas();
    await (await openDatabase(upgraded)).close();
    const restored = await place();
    await restoreInto(restored, FIXTURE);
    const [one, other] = await Promise.all(
      [upgraded, restored].map(async (at) => {
        const file = join(directory.path, `${count++}.gz`);
        await backup(at, (bytes) => writeBackup(file, bytes));
        return checkBackup(file);
      }),
    );
    expect(other?.footer.tables).toEqual(one?.footer.tables);
    expect(other?.header.migrations).toEqual(one?.header.migrations);
  });
});
