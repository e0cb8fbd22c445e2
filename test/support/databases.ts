import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import postgres from 'postgres';
import { inject } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Databases of both kinds for tests: migrated once, then copied. */

export const DATABASE_KINDS = ['embedded', 'postgres'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

export interface TestDatabase {
  /** The configuration that selects it. */
  env: { DATA_DIR?: string; DATABASE_URL?: string };
  drop(): Promise<void>;
}

/** A fresh, migrated, empty database. */
export async function createTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'embedded') {
    const { path, remove } = temporaryDirectory();
    cpSync(inject('embeddedTemplate'), path, { recursive: true });
    return { env: { DATA_DIR: path }, drop: () => Promise.resolve(remove()) };
  }
  const { url, drop } = await createPostgresDatabase(
    inject('postgresUrl'),
    inject('postgresTemplate'),
  );
  return { env: { DATABASE_URL: url }, drop };
}

/** A migrated database on the server at `url`, for {@link createTestDatabase} to clone. */
export async function migratedTemplate(url: string): Promise<PostgresDatabase> {
  const database = await createPostgresDatabase(url);
  await migratePostgres(database.url);
  return database;
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
