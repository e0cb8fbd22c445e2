import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';

/** Databases of both kinds for tests: migrated once, then copied. */

export const DATABASE_KINDS = ['embedded', 'postgres'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

export interface TestDatabase {
  /** As the configuration names it. */
  env: { DATA_DIR?: string; DATABASE_URL?: string };
  drop(): Promise<void>;
}

/** A fresh, migrated, empty database. */
export async function createTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'embedded') {
    const directory = mkdtempSync(join(tmpdir(), 'mesh-registry-data-'));
    cpSync(inject('embeddedTemplate'), directory, { recursive: true });
    return {
      env: { DATA_DIR: directory },
      drop: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
    };
  }
  const url = inject('postgresUrl');
  const name = freshName();
  await admin(
    url,
    (sql) => sql`create database ${sql(name)} template ${sql(inject('postgresTemplate'))}`,
  );
  return {
    env: { DATABASE_URL: withDatabase(url, name) },
    drop: () => admin(url, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
}

/** A migrated database on the server at `url`, for {@link createTestDatabase} to clone. */
export async function migratedTemplate(
  url: string,
): Promise<{ name: string; drop(): Promise<void> }> {
  const name = freshName();
  await admin(url, (sql) => sql`create database ${sql(name)}`);
  await migratePostgres(withDatabase(url, name));
  return {
    name,
    drop: () => admin(url, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
}

const freshName = () => `mesh_test_${randomBytes(6).toString('hex')}`;

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function admin(url: string, run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}
