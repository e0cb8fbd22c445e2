import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Databases for tests, all on one server: migrated once, then copied. */

export interface TestDatabase {
  /** The configuration that selects it. */
  env: { DATABASE_URL: string };
  drop(): Promise<void>;
}

/**
 * The database of a test's server: a fresh, migrated, empty one of the run's server, or with TEST_EMBEDDED=1 an embedded
 * one of its own.
 */
export async function createServerDatabase(): Promise<Omit<TestDatabase, 'env'> & { env: object }> {
  if (process.env['TEST_EMBEDDED'] !== '1') return createTestDatabase();
  const { path, remove } = temporaryDirectory();
  return { env: { DATA_DIR: path }, drop: () => Promise.resolve(remove()) };
}

/** A fresh, migrated, empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createPostgresDatabase(
    inject('postgresUrl'),
    inject('postgresTemplate'),
  );
  return { env: { DATABASE_URL: url }, drop };
}

export interface DatabaseServer {
  url: string;
  /** The name of a migrated, empty database on it, for tests to clone. */
  template: string;
  stop(): Promise<void>;
}

/** The server on which all tests of a run create their databases. */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  // A setting of the tests alone; the service does not read it.
  const given = process.env['TEST_DATABASE_URL'];
  const own = given === undefined ? await startPostgres() : undefined;
  const url = given ?? own?.url() ?? '';
  const template = await createPostgresDatabase(url);
  await migratePostgres(template.url);
  return {
    url,
    template: template.name,
    async stop() {
      await template.drop();
      await own?.stop();
    },
  };
}

export interface PostgresDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

/** A new database on the server at `url`: a copy of the template, or empty and not migrated. */
export async function createPostgresDatabase(
  url: string,
  template = 'template1',
): Promise<PostgresDatabase> {
  const name = `mesh_test_${randomBytes(6).toString('hex')}`;
  await admin(url, (sql) => sql`create database ${sql(name)} template ${sql(template)}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    name,
    url: own.href,
    drop: () => admin(url, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
}

async function admin(url: string, run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}
