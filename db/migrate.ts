import type postgres from 'postgres';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate as migratePostgresJs } from 'drizzle-orm/postgres-js/migrator';
import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from './connection/connection.ts';
import { databaseCode, isTransient } from './connection/errors.ts';
import { Pool } from './connection/pool.ts';

/** The SQL files: beside this file or, once it is bundled into build/, in the sources next to that. */
export const migrationsFolder = (() => {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const folder = join(at, 'db', 'migrations');
    if (existsSync(join(folder, 'meta', '_journal.json'))) return folder;
    if (at === dirname(at)) throw new Error('db/migrations is missing: deploy it next to build/.');
  }
})();

/** This release's migrations, oldest first: the baseline, and what came after it. */
export function knownMigrations(): [baseline: MigrationMeta, ...later: MigrationMeta[]] {
  const [baseline, ...later] = readMigrationFiles({ migrationsFolder });
  if (!baseline) throw new Error('db/migrations has no baseline.');
  return [baseline, ...later];
}

/** Drizzle's own table: a row for each migration that has been applied. */
export const MIGRATIONS_TABLE = 'drizzle.__drizzle_migrations';

/** The statement that records a migration as applied, as drizzle does it. */
export const recordOf = ({ hash, folderMillis }: MigrationMeta): string =>
  `insert into ${MIGRATIONS_TABLE} (hash, created_at) values ('${hash}', ${folderMillis})`;

/** The hashes of the migrations that have been applied to a database, oldest first. */
export async function appliedMigrations(client: Client): Promise<string[]> {
  const [found] = await client.unsafe<{ exists: boolean }>(
    `select to_regclass('${MIGRATIONS_TABLE}') is not null as exists`,
  );
  if (!found?.exists) return [];
  const rows = await client.unsafe<{ hash: string }>(
    `select hash from ${MIGRATIONS_TABLE} order by created_at, id`,
  );
  return rows.map(({ hash }) => hash);
}

/**
 * The first and the last of the sixteen migrations that the baseline has replaced: the hashes of 0000_init.sql and
 * 0015_node_keys.sql. The catalogues of a database that went through all of them and of one that the baseline made
 * were compared: but for the order of columns in two tables, they are the same.
 */
export const BEFORE_BASELINE = {
  first: 'ee3d383049f23fcbf8526de1557db644998ea6790350d238f8de438938d4b3c6',
  last: '3a84b7fe7fb5c540748c6bcd9f98e16ba9086903cbdbadd5d0e34c37e7d3ee74',
};

/**
 * The history of a database, or of the one in a backup, as this release tells it: the sixteen migrations before the
 * baseline are the baseline.
 * @param applied hashes of the migrations, oldest first
 * @returns hashes, of which the last may be a newer release's; `older`: it has only some of the sixteen; `unknown`: it
 *   begins with a migration of a newer release, or of another program
 */
export function historyFrom(applied: string[]): string[] | 'older' | 'unknown' {
  const [baseline] = knownMigrations();
  if (applied.length === 0 || applied[0] === baseline.hash) return applied;
  if (applied.at(-1) === BEFORE_BASELINE.last) return [baseline.hash];
  return applied[0] === BEFORE_BASELINE.first ? 'older' : 'unknown';
}

/** The migrations of this release do not lead to the tables of the database. Nothing was changed. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/**
 * How long a migration waits for a lock, milliseconds: meanwhile everything that other servers do with the table waits
 * behind it. It is then tried again.
 */
const LOCK_TIMEOUT_MS = 1000;
/** How long a start waits for a database that does not answer yet, milliseconds. */
const WAIT_FOR_DATABASE_MS = 30_000;

/**
 * Applies the missing migrations. Any number of servers may start at once: one migrates while the others
 * wait for a row lock. Every engine that speaks PostgreSQL has row locks, unlike advisory locks, and they
 * end with the connection, so a server that dies halfway blocks nobody.
 * @throws HistoryError if an older release, a newer one or another program has made the database
 */
export async function migratePostgres(url: string): Promise<void> {
  const pool = new Pool(url, { max: 2, session: { lock_timeout: LOCK_TIMEOUT_MS } });
  const deadline = Date.now() + WAIT_FOR_DATABASE_MS;
  try {
    for (;;) {
      try {
        await migrateUnderLock(pool);
        return;
      } catch (error) {
        // 23505, 42P07 and XX000: two servers created the lock's table in the same instant. 55P03: a table is locked.
        const again = ['23505', '42P07', 'XX000', '55P03'].includes(databaseCode(error) ?? '');
        if (!(again || isTransient(error)) || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  } finally {
    await pool.close();
  }
}

async function migrateUnderLock(pool: Pool): Promise<void> {
  await pool.unsafe('create table if not exists migration_lock (id integer primary key)');
  await pool.unsafe('insert into migration_lock (id) values (1) on conflict do nothing');
  await pool.begin(async (holder) => {
    // Another server may take long to migrate a large database.
    await holder.unsafe('set local lock_timeout = 0');
    await holder.unsafe('select id from migration_lock where id = 1 for update');
    await pool.begin(recordBaseline);
    const db: PostgresJsDatabase = drizzle({ client: pool as unknown as postgres.Sql });
    await migratePostgresJs(db, { migrationsFolder });
  });
}

/**
 * Records a database that went through the sixteen migrations before the baseline as one that the baseline made. The
 * tables stay as they are, and servers of the release before go on: they take the baseline, which is later than all
 * that they know, for a newer release's migration.
 * @throws HistoryError
 */
async function recordBaseline(client: Client): Promise<void> {
  const applied = await appliedMigrations(client);
  const history = historyFrom(applied);
  if (history === 'older')
    throw new HistoryError(
      'An older release made this database, and this one cannot migrate it; nothing was changed. Start the last release that can once, then this one: see “From release 0.1” in docs/operate.md.',
    );
  if (history === 'unknown')
    throw new HistoryError(
      'A newer release or another program made this database; nothing was changed. Start that release, or create a database of its own for the registry.',
    );
  if (history === applied) return;
  const [baseline] = knownMigrations();
  await client.unsafe(`delete from ${MIGRATIONS_TABLE}`);
  await client.unsafe(recordOf(baseline));
}
