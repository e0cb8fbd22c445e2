import { PGlite } from '@electric-sql/pglite';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './client.ts';
import { backupEmbedded } from './backup/index.ts';
import { offerBackups } from './backup/socket.ts';
import { createCluster, EMBEDDED_SETTINGS, preparedCluster } from './cluster.ts';
import { lockDirectory } from './lock.ts';
import { migrateEmbedded } from './migrate.ts';
import * as schema from './schema.ts';

/** As `DATA_DIR`: a database in memory that ends with the process, for the demo and tests. */
export const IN_MEMORY = 'memory://';

/** How often the embedded database is vacuumed and checkpointed, milliseconds: it does neither by itself. */
const MAINTENANCE_MS = 60_000;

/**
 * Opens the database in a data directory, creating it if it is missing.
 * @throws DirectoryInUseError if another process holds the directory
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const lock = dataDir === IN_MEMORY ? undefined : await lockDirectory(dataDir);
  try {
    const client = await openClient(dataDir);
    const db = drizzle({ client, schema, casing: 'snake_case' });
    await migrateEmbedded(db);

    let maintaining: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      maintaining = maintain(client).catch(() => undefined);
    }, MAINTENANCE_MS).unref();
    const endBackups =
      dataDir === IN_MEMORY ? undefined : offerBackups(dataDir, () => backupEmbedded(client));

    return {
      db,
      embedded: true,
      distributed: false,
      now: () => Promise.resolve(Date.now()),
      ping: async () => void (await client.query('select 1')),
      close: async () => {
        clearInterval(timer);
        await endBackups?.();
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

async function openClient(dataDir: string): Promise<PGlite> {
  const postgresqlconf = EMBEDDED_SETTINGS;
  if (dataDir === IN_MEMORY) {
    const prepared = preparedCluster();
    return PGlite.create({ postgresqlconf, ...(prepared && { loadDataDir: prepared }) });
  }
  const cluster = join(dataDir, 'pg');
  if (!existsSync(cluster)) await createCluster(cluster);
  return PGlite.create({ dataDir: cluster, postgresqlconf });
}

const TABLES = Object.values(schema)
  .filter((entry) => is(entry, PgTable))
  .map((table) => getTableName(table));

/** One table per statement: the database blocks the event loop while a statement runs. */
async function maintain(client: PGlite): Promise<void> {
  for (const table of TABLES) await client.exec(`vacuum ${table}`);
  await client.exec('checkpoint');
}
