import type { MigrationMeta } from 'drizzle-orm/migrator';
import { NO_BLOCK } from '@mesh-registry/protocol/log/block.schema.ts';
import type { TransactionClient } from '../connection/connection.ts';
import {
  appliedMigrations,
  historyFrom,
  knownMigrations,
  MIGRATIONS_TABLE,
  recordOf,
} from '../migrate.ts';
import { LOG_HEAD } from '../schema/index.ts';
import { ALL_TABLE_NAMES, applySettings, quoted, SEQUENCE_NAMES } from './dump.ts';
import {
  BackupError,
  BackupReader,
  LOG_PART,
  RowDigest,
  type Footer,
  type Header,
} from './format.ts';

/** The database is in use, or holds something already. */
export class NotEmptyError extends Error {
  override readonly name = 'NotEmptyError';
}

/** Rows that a service leaves in a database nobody has used yet, as a condition on them. */
const LEFT_BY_A_START: Record<string, string> = {
  feed: 'true',
  history_day_counts: `name = 'quarters' or sum = 0`,
  history_days: 'online + syncing + idle + offline = 0',
  history_places: 'nodes = 0',
  // Where the log on disk ends, which the service has compared.
  log_head: 'true',
  history_quarters: 'coalesce(online + syncing + idle + offline, 0) = 0',
  // The lease of the one that watches.
  outage_watch: 'true',
  reserved_names: `added_by = 'system'`,
  reviewer_invitations: 'email is null',
  service_periods: 'true',
  status_minutes: 'true',
};

/** Takes the blocks of the public log, in their order, and has them on disk when it resolves. */
export type TakeBlocks = (blocks: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Restores a backup into a database without data: creates the tables as they were, fills them, compares every row's
 * hash with the backup's, and then applies later migrations.
 * @param client a transaction. Commit it when this resolves, roll it back when it rejects
 * @throws BackupError if the backup is incomplete, damaged, or of a release that this one does not know
 * @throws NotEmptyError
 */
export async function restore(
  client: TransactionClient,
  bytes: AsyncIterable<Uint8Array>,
  takeBlocks?: TakeBlocks,
): Promise<{ header: Header; footer: Footer }> {
  const reader = new BackupReader(bytes);
  const header = await reader.header();
  const history = historyFrom(header.migrations);
  if (history === 'older')
    throw new BackupError(
      'An older release made this backup, and this one cannot restore it. Restore it with the last release that can, and back that up: see “From release 0.1” in docs/operate.md.',
    );
  const migrations = knownMigrations();
  if (history === 'unknown' || history.some((hash, n) => hash !== migrations[n]?.hash))
    throw new BackupError('A newer release made this backup. Restore it with that release.');

  await applySettings(client);
  await requireEmpty(client);
  await dropTables(client);
  await migrate(client, migrations.slice(0, history.length));

  const columns = new Map<string, string>();
  for await (const { table, columns: names, rows } of reader.tables()) {
    if (table === LOG_PART) {
      if (takeBlocks) await takeBlocks(blocksOf(rows));
      else for await (const _ of rows);
      continue;
    }
    columns.set(table, names.map(quoted).join(', '));
    // What the migrations put there.
    await client.unsafe(`delete from ${quoted(table)}`);
    await client.copyIn(`copy ${quoted(table)} (${columns.get(table)}) from stdin`, rows);
  }
  const { footer } = reader;
  for (const [table, list] of columns) {
    const digest = new RowDigest();
    for await (const chunk of client.copyOut(
      `copy (select ${list} from ${quoted(table)}) to stdout`,
    ))
      digest.update(chunk);
    const { hash } = digest.summary();
    if (hash !== footer.tables[table]?.hash)
      throw new BackupError(`The rows of ${table} are not the same after restoring them.`);
  }
  for (const [name, { value, called }] of Object.entries(footer.sequences))
    if (SEQUENCE_NAMES.includes(name))
      await client.unsafe(`select setval('${quoted(name)}', ${BigInt(value)}, ${called === true})`);

  await migrate(client, migrations.slice(history.length));
  await client.unsafe(COMPARE_LOG);
  return { header, footer };
}

/** Peers may have later blocks of the log than the backup: nobody adds to it before they were compared. */
const COMPARE_LOG = `
  insert into log_head (id, height, block_id, frames, writer, lease_until, must_compare)
  values ('${LOG_HEAD}', 0, '${NO_BLOCK}', '', '', 'epoch', true)
  on conflict (id) do update set writer = '', lease_until = 'epoch', must_compare = true`;

/** @param rows in chunks of whole lines */
async function* blocksOf(rows: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of rows)
    for (const line of Buffer.from(chunk).toString('latin1').trimEnd().split('\n'))
      yield Buffer.from(line, 'base64');
}

async function requireEmpty(client: TransactionClient): Promise<void> {
  const present = await presentTables(client);
  if (present.length > 0 && (await appliedMigrations(client)).length === 0)
    throw new NotEmptyError(
      `The database has tables of another program (${present.join(', ')}). Create a database of its own for the registry.`,
    );
  for (const table of present) {
    const left = LEFT_BY_A_START[table];
    const [found] = await client.unsafe<{ rows: string }>(
      `select count(*)::text as rows from ${quoted(table)} ${left === undefined ? '' : `where not (${left})`}`,
    );
    if (found?.rows !== '0')
      throw new NotEmptyError(
        `The database already holds data (${found?.rows} rows in ${table}). Restore into an empty one.`,
      );
  }
}

const presentTables = async (client: TransactionClient): Promise<string[]> =>
  (
    await client.unsafe<{ name: string }>(
      `select tablename::text as name from pg_tables where schemaname = 'public' order by 1`,
    )
  )
    .map(({ name }) => name)
    .filter((name) => ALL_TABLE_NAMES.includes(name));

/** Drops the empty tables of a database that a service has been started on. */
async function dropTables(client: TransactionClient): Promise<void> {
  for (const statement of ['create schema if not exists drizzle', CREATE_MIGRATIONS_TABLE])
    await client.unsafe(statement);
  const present = await presentTables(client);
  if (present.length > 0) await client.unsafe(`drop table ${present.map(quoted).join(', ')}`);
  if (SEQUENCE_NAMES.length > 0)
    await client.unsafe(`drop sequence if exists ${SEQUENCE_NAMES.map(quoted).join(', ')}`);
  await client.unsafe(`delete from ${MIGRATIONS_TABLE}`);
}

/** Drizzle creates it with the same statement. */
const CREATE_MIGRATIONS_TABLE = `
  create table if not exists ${MIGRATIONS_TABLE} (id serial primary key, hash text not null, created_at bigint)`;

/** Does what drizzle does, but for some migrations only, and inside the transaction of the restore. */
async function migrate(client: TransactionClient, migrations: MigrationMeta[]): Promise<void> {
  for (const migration of migrations) {
    for (const statement of migration.sql) await client.unsafe(statement);
    await client.unsafe(recordOf(migration));
  }
}
