import { PGlite } from '@electric-sql/pglite';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createCluster, EMBEDDED_SETTINGS } from '../cluster.ts';
import type { TransactionClient } from '../connection.ts';
import { lockDirectory } from '../lock.ts';
import { Pool } from '../pool.ts';
import { dump } from './dump.ts';
import { BackupError, encode, type Footer, type Header, type TableRows } from './format.ts';
import { NotEmptyError, restore } from './restore.ts';
import { embeddedSession, postgresSession } from './session.ts';
import { requestBackup } from './socket.ts';

/**
 * Backups of both databases, while the service runs, and restoring them. Moving from the embedded database to
 * PostgreSQL is a backup that is restored at once.
 */

export { checkBackup, readBackup, writeBackup } from './file.ts';
export { BackupError, type Footer, type Header } from './format.ts';
export { NotEmptyError } from './restore.ts';

type Bytes = AsyncIterable<Uint8Array>;
interface Target {
  databaseUrl: string | undefined;
  dataDir: string;
}

/**
 * Reads a backup of the configured database, whether or not the service runs.
 * @param read receives its bytes and reads them to the end
 * @throws BackupError; DirectoryInUseError if the service runs but could not open its socket
 */
export async function backup<T>(
  { databaseUrl, dataDir }: Target,
  read: (bytes: Bytes) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) return backupPostgres(databaseUrl, read);
  const running = await requestBackup(dataDir);
  return running ? read(running) : backupDirectory(dataDir, read);
}

/** As {@link backup}, for a directory on which no service runs. @throws DirectoryInUseError */
export async function backupDirectory<T>(
  dataDir: string,
  read: (bytes: Bytes) => Promise<T>,
): Promise<T> {
  const cluster = join(dataDir, 'pg');
  if (!existsSync(cluster)) throw new BackupError(`There is no database in ${dataDir}.`);
  const lock = await lockDirectory(dataDir);
  try {
    return await withCluster(cluster, (client) => read(backupEmbedded(client)));
  } finally {
    lock.release();
  }
}

/**
 * A backup of an open embedded database. All tables are copied into memory first, because everyone else waits while a
 * transaction is open: a slow reader must not hold them up.
 */
export async function* backupEmbedded(client: PGlite): AsyncGenerator<Uint8Array> {
  const { header, tables, sequences } = await client.transaction(async (tx) => {
    const all = await dump(embeddedSession(tx));
    const tables: TableRows[] = [];
    for await (const table of all.tables) tables.push(table);
    return { ...all, tables };
  });
  yield* encode(header, tables, sequences);
}

const backupPostgres = <T>(url: string, read: (bytes: Bytes) => Promise<T>): Promise<T> =>
  withTransaction(url, async (client) => {
    await client.unsafe('set transaction isolation level repeatable read, read only');
    const { header, tables, sequences } = await dump(postgresSession(client));
    return read(encode(header, tables, sequences));
  });

/**
 * Restores a backup into the configured database, which must be empty and not in use. If it fails, the database is as
 * it was.
 * @throws BackupError, NotEmptyError, DirectoryInUseError
 */
export function restoreInto(
  { databaseUrl, dataDir }: Target,
  bytes: Bytes,
): Promise<{ header: Header; footer: Footer }> {
  return databaseUrl === undefined
    ? restoreIntoDirectory(dataDir, bytes)
    : restoreIntoPostgres(databaseUrl, bytes);
}

async function restoreIntoDirectory(dataDir: string, bytes: Bytes) {
  const lock = await lockDirectory(dataDir);
  const cluster = join(dataDir, 'pg');
  const draft = join(dataDir, 'pg.restoring');
  try {
    if (existsSync(cluster))
      throw new NotEmptyError(
        `There is a database in ${dataDir} already. Move ${cluster} away, or set DATA_DIR to another directory.`,
      );
    rmSync(draft, { recursive: true, force: true });
    await createCluster(draft);
    const restored = await withCluster(draft, async (client) => {
      const restored = await client.transaction((tx) => restore(embeddedSession(tx), bytes));
      await client.exec('checkpoint');
      return restored;
    });
    renameSync(draft, cluster);
    return restored;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    lock.release();
  }
}

const restoreIntoPostgres = (url: string, bytes: Bytes) =>
  withTransaction(url, async (client) => {
    const session = postgresSession(client);
    // Servers that start meanwhile wait for this row before they migrate.
    await client.unsafe('create table if not exists migration_lock (id integer primary key)');
    await client.unsafe('insert into migration_lock (id) values (1) on conflict do nothing');
    await client.unsafe('select id from migration_lock where id = 1 for update');
    const [servers] = await session.rows<{ connections: number }>(
      `select count(*)::int as connections from pg_stat_activity
       where datname = current_database() and application_name = 'mesh-registry'`,
    );
    if (servers && servers.connections > 0)
      throw new NotEmptyError(
        `A service is connected to the database (${servers.connections} connections). Stop all servers first; if a pooler keeps the connections, use PostgreSQL's own address.`,
      );
    return restore(session, bytes);
  });

async function withCluster<T>(directory: string, work: (client: PGlite) => Promise<T>): Promise<T> {
  const client = await PGlite.create({ dataDir: directory, postgresqlconf: EMBEDDED_SETTINGS });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function withTransaction<T>(
  url: string,
  work: (client: TransactionClient) => Promise<T>,
): Promise<T> {
  const pool = new Pool(url, { max: 1 });
  try {
    return await pool.begin(async (client) => {
      // So that this connection does not count as a server's.
      await client.unsafe(`set local application_name = 'mesh-registry-backup'`);
      return work(client);
    });
  } finally {
    await pool.close();
  }
}
