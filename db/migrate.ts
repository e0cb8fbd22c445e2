import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate as migratePostgresJs } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import type { Client } from './connection/connection.ts';
import { Pool } from './connection/pool.ts';
import { databaseCode, isTransient } from './connection/errors.ts';
import {
  appliedMigrations,
  historyFrom,
  knownMigrations,
  MIGRATIONS_TABLE,
  migrationsFolder,
  recordOf,
} from './history.ts';

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
  const applied = await appliedMigrations((statement) => client.unsafe(statement));
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
