import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate as migratePostgresJs } from 'drizzle-orm/postgres-js/migrator';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { Pool } from './connection/pool.ts';
import { databaseCode, isTransient } from './connection/errors.ts';

/** The SQL files: beside this file or, once it is bundled into build/, in the sources next to that. */
export const migrationsFolder = (() => {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const folder = join(at, 'db', 'migrations');
    if (existsSync(join(folder, 'meta', '_journal.json'))) return folder;
    if (at === dirname(at)) throw new Error('db/migrations is missing: deploy it next to build/.');
  }
})();

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
    const db: PostgresJsDatabase = drizzle({ client: pool as unknown as postgres.Sql });
    await migratePostgresJs(db, { migrationsFolder });
  });
}
