import { openEmbedded, type DatabaseConfig } from '../client.ts';
import type { TransactionClient } from '../connection/connection.ts';
import { isTransient } from '../connection/errors.ts';
import { Pool } from '../connection/pool.ts';
import { beginRestore, type Log } from '../embedded/index.ts';
import { dump, type ReadBlocks } from './dump.ts';
import { checkBackup, readBackup, writeBackup } from './file.ts';
import { BackupError, encode, LOG_PART, type Footer, type Header } from './format.ts';
import { NotEmptyError, restore, type TakeBlocks } from './restore.ts';

/** Backups of the database, while the service runs or not, and restoring them. */

export { checkBackup, readBackup, writeBackup };
export { BackupError, LOG_PART, type Footer, type Header };
export type { LogEnd } from './dump.ts';
export { NotEmptyError } from './restore.ts';

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Reads a backup of the configured database. The embedded one is started for the time, unless the service runs it.
 * @param read receives its bytes and reads them to the end
 * @param readBlocks of the public log, which is a directory beside the database
 * @throws BackupError; EmbeddedError
 */
export const backup = <T>(
  config: DatabaseConfig,
  read: (bytes: Bytes) => Promise<T>,
  log?: Log,
  readBlocks?: ReadBlocks,
): Promise<T> =>
  withUrl(config, { ownership: 'own or join', mustExist: true, log }, (url) =>
    withTransaction(url, async (client) => {
      await client.unsafe('set transaction isolation level repeatable read, read only');
      const { header, tables, sequences } = await dump(client, readBlocks);
      return read(encode(header, tables, sequences));
    }).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      throw new BackupError('The database went away before the backup was complete.', {
        cause: error,
      });
    }),
  );

/**
 * Restores a backup into the configured database, which must be empty and not in use. If it fails, the database is as
 * it was.
 * @param takeBlocks of the public log, if the backup has it
 * @throws BackupError, NotEmptyError; DirectoryInUseError if the service runs the embedded database
 */
export async function restoreInto(
  config: DatabaseConfig,
  file: string,
  log?: Log,
  takeBlocks?: TakeBlocks,
): Promise<{ header: Header; footer: Footer }> {
  // A file that is no backup must not create a database.
  await checkBackup(file);
  const complete = config.databaseUrl === undefined ? beginRestore(config.dataDir) : () => {};
  const restored = await withUrl(config, { ownership: 'own', besideOldRelease: true, log }, (url) =>
    withTransaction(url, async (client) => {
      // Servers that start meanwhile wait for this row before they migrate.
      await client.unsafe('create table if not exists migration_lock (id integer primary key)');
      await client.unsafe('insert into migration_lock (id) values (1) on conflict do nothing');
      await client.unsafe('select id from migration_lock where id = 1 for update');
      const [servers] = await client.unsafe<{
        connections: number;
      }>(`select count(*)::int as connections from pg_stat_activity
         where datname = current_database() and application_name = 'mesh-registry'`);
      if (servers && servers.connections > 0)
        throw new NotEmptyError(
          `A service is connected to the database (${servers.connections} connections). Stop all servers first; if a pooler keeps the connections, use PostgreSQL's own address.`,
        );
      return restore(client, readBackup(file), takeBlocks);
    }),
  );
  complete();
  return restored;
}

/** The URL of the configured database, while it is needed. */
async function withUrl<T>(
  config: DatabaseConfig,
  options: NonNullable<Parameters<typeof openEmbedded>[1]>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== undefined) return work(config.databaseUrl);
  const embedded = await openEmbedded(config, options);
  try {
    return await work(embedded.url);
  } finally {
    await embedded.stop();
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
