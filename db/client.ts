import { PGlite } from '@electric-sql/pglite';
import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable, type PgDatabase, type PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type postgres from 'postgres';
import { lockDirectory } from './lock.ts';
import { migrateEmbedded, migratePostgres } from './migrate.ts';
import { Pool } from './pool.ts';
import { UNIT_TIMEOUT_MS } from './timeout.ts';
import * as schema from './schema.ts';

/** Either driver, or a transaction of either. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Database {
  readonly db: Db;
  /** True for the embedded database: this process is its only user, so nobody else's writes need following. */
  readonly embedded: boolean;
  /**
   * Grows when a connection is lost while it is in use: a write of this process may have been
   * committed, now or somewhat later, although its caller was told that it failed.
   */
  lostConnections(): number;
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Kept in memory, gone with the process: for the demo and tests. */
export const IN_MEMORY = 'memory://';

/** Opens and migrates the database that the configuration names. */
export async function openDatabase(config: {
  databaseUrl: string | undefined;
  dataDir: string;
}): Promise<Database> {
  return config.databaseUrl === undefined
    ? openEmbedded(config.dataDir)
    : openPostgres(config.databaseUrl);
}

/**
 * Memory of the embedded server: its defaults are made for a machine of its own (750 MB resident),
 * these keep the whole process under 200 MB. A small max_wal_size makes CHECKPOINT recycle the log.
 */
const EMBEDDED_SETTINGS = [
  'shared_buffers=16MB',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
  'wal_level=minimal',
  'max_wal_senders=0',
];

/** How often the embedded database is vacuumed and checkpointed, milliseconds: it has no autovacuum and no checkpointer. */
const MAINTENANCE_MS = 60_000;

async function openEmbedded(dataDir: string): Promise<Database> {
  const inMemory = dataDir === IN_MEMORY;
  const lock = inMemory ? undefined : await lockDirectory(dataDir);
  try {
    const directory = inMemory ? IN_MEMORY : join(dataDir, 'pg');
    if (!inMemory && !existsSync(directory)) await createCluster(directory);
    const client = await PGlite.create({
      dataDir: directory,
      postgresqlconf: EMBEDDED_SETTINGS,
    });
    const db = drizzlePglite({ client, schema, casing: 'snake_case' });
    await migrateEmbedded(db);

    let maintaining: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      maintaining = maintain(client).catch(() => undefined);
    }, MAINTENANCE_MS).unref();

    return {
      db,
      embedded: true,
      lostConnections: () => 0,
      ping: async () => void (await client.query('select 1')),
      close: async () => {
        clearInterval(timer);
        await maintaining;
        await client.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/**
 * Makes the files of a new database. In a process of its own, because what that takes (half a gigabyte)
 * is given back only when the process ends; and aside, then renamed, so that a start that was killed in
 * the middle leaves nothing that looks like a database.
 */
async function createCluster(directory: string): Promise<void> {
  const aside = `${directory}.new`;
  rmSync(aside, { recursive: true, force: true });
  const module = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const options = { dataDir: aside, postgresqlconf: EMBEDDED_SETTINGS };
  await promisify(execFile)(process.execPath, [
    '-e',
    `require(${JSON.stringify(module)}).PGlite.create(${JSON.stringify(options)}).then((client) => client.close())`,
  ]);
  renameSync(aside, directory);
}

const TABLES = Object.values(schema)
  .filter((entry) => is(entry, PgTable))
  .map((table) => getTableName(table));

/** One table per statement: the database blocks the event loop while a statement runs. */
async function maintain(client: PGlite): Promise<void> {
  for (const table of TABLES) await client.exec(`vacuum ${table}`);
  await client.exec('checkpoint');
}

/**
 * Longest a statement may run on the server, milliseconds: less than a unit of work may take here
 * (UNIT_TIMEOUT_MS), so that the server gives up before we do. The read model's overlap is made of it:
 * server/live/read-model.ts.
 */
export const STATEMENT_TIMEOUT_MS = UNIT_TIMEOUT_MS - 200;

async function openPostgres(url: string): Promise<Database> {
  await migratePostgres(url);
  const pool = new Pool(url, {
    max: 10,
    timeoutMs: UNIT_TIMEOUT_MS,
    session: {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: 10_000,
    },
  });
  // The part of the driver's interface that drizzle uses.
  const client = pool as unknown as postgres.Sql;
  const db = drizzlePostgres({ client, schema, casing: 'snake_case' });
  let pinging: Promise<void> | undefined;
  return {
    db,
    embedded: false,
    lostConnections: () => pool.lostConnections,
    ping: () =>
      (pinging ??= (async () => {
        try {
          await db.execute(sql`select 1`);
        } finally {
          pinging = undefined;
        }
      })()),
    close: () => pool.close(),
  };
}
