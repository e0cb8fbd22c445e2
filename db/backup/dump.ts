import { Readable } from 'node:stream';
import { getTableName, is } from 'drizzle-orm';
import { PgSequence, PgTable } from 'drizzle-orm/pg-core';
import type { TransactionClient } from '../connection/connection.ts';
import { appliedMigrations, historyFrom, knownMigrations } from '../migrate.ts';
import * as schema from '../schema/index.ts';
import {
  BackupError,
  FORMAT,
  LOG_PART,
  VERSION,
  type Footer,
  type Header,
  type TableRows,
} from './format.ts';

/** The text of values must not depend on the settings of a server, a database or a role. */
const SETTINGS = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO'`,
  `set local extra_float_digits = 1`,
  `set local bytea_output = 'hex'`,
  `set local statement_timeout = 0`,
  `set local idle_in_transaction_session_timeout = 0`,
];

export async function applySettings(client: TransactionClient): Promise<void> {
  for (const setting of SETTINGS) await client.unsafe(setting);
}

/** What servers have told each other in the last minutes: of no use to a server that starts. */
const PASSING = ['feed', 'service_periods'];

const names: string[] = Object.values(schema)
  .filter((entry) => is(entry, PgTable))
  .map((table) => getTableName(table));

/** All tables, by name. */
export const ALL_TABLE_NAMES = names.sort();
/** Those that a backup contains. */
export const TABLE_NAMES = ALL_TABLE_NAMES.filter((name) => !PASSING.includes(name));

export const SEQUENCE_NAMES: string[] = Object.values(schema)
  .filter((entry) => is(entry, PgSequence))
  .flatMap(({ seqName }) => seqName ?? []);

/** Where the public log ended at the moment of the backup, and the blocks that were added last, in base64. */
export interface LogEnd {
  height: number;
  id: string;
  frames: string;
}
/** The blocks of the log up to there, in their order. */
export type ReadBlocks = (end: LogEnd) => Iterable<Uint8Array>;

/**
 * Reads a database of this release, or of an earlier one since the baseline. Nothing is migrated or changed. A table
 * is read when it is asked for.
 * @param client a repeatable-read transaction, so that all tables are of one moment
 * @param readBlocks of the public log; without it, the backup has none
 * @throws BackupError for a database of another release, or of something else
 */
export async function dump(client: TransactionClient, readBlocks?: ReadBlocks) {
  await applySettings(client);
  const migrations = historyFrom(await appliedMigrations(client));
  if (migrations === 'older')
    throw new BackupError(
      'An older release made this database. Back it up with the last release that reads it: see “From release 0.1” in docs/operate.md.',
    );
  if (migrations.length === 0)
    throw new BackupError('This database is empty. Check DATABASE_URL or DATA_DIR.');
  const known = knownMigrations().map(({ hash }) => hash);
  if (migrations === 'unknown' || migrations.some((hash, n) => hash !== known[n]))
    throw new BackupError(
      'This database belongs to a newer release. Back it up with that release.',
    );
  const createdAt = new Date().toISOString();
  return {
    header: { format: FORMAT, version: VERSION, createdAt, migrations } satisfies Header,
    sequences: await sequencesOf(client),
    tables: readTables(client, readBlocks),
  };
}

async function* readTables(
  client: TransactionClient,
  readBlocks: ReadBlocks | undefined,
): AsyncGenerator<TableRows> {
  const present = await columnsOf(client);
  for (const [table, columns] of present) {
    const list = columns.map(quoted).join(', ');
    const rows = client.copyOut(`copy (select ${list} from ${quoted(table)}) to stdout`);
    yield { table, columns, rows };
  }
  if (!readBlocks || !present.has(getTableName(schema.logHead))) return;
  const [end] = await client.unsafe<{ height: number; id: string; frames: string }>(
    'select height, block_id as id, frames from log_head',
  );
  if (end)
    yield { table: LOG_PART, columns: ['frame'], rows: Readable.from(linesOf(readBlocks(end))) };
}

function* linesOf(blocks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const block of blocks) yield Buffer.from(`${Buffer.from(block).toString('base64')}\n`);
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The columns of each table that exists. A table comes after those that it refers to. */
async function columnsOf(client: TransactionClient): Promise<Map<string, string[]>> {
  const columns = await client.unsafe<{ table: string; column: string }>(`
    select c.relname::text as table, a.attname::text as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname, a.attnum`);
  const references = await client.unsafe<{ from: string; to: string }>(`
    select f.relname::text as from, t.relname::text as to
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and f.relnamespace = 'public'::regnamespace`);
  const sorted = new Map<string, string[]>();
  const visit = (table: string) => {
    if (sorted.has(table)) return;
    for (const { from, to } of references) if (from === table && to !== table) visit(to);
    const own = columns.filter((one) => one.table === table).map(({ column }) => column);
    if (own.length > 0) sorted.set(table, own);
  };
  TABLE_NAMES.forEach(visit);
  return sorted;
}

async function sequencesOf(client: TransactionClient): Promise<Footer['sequences']> {
  const present = await client.unsafe<{ name: string }>(
    `select sequencename::text as name from pg_sequences where schemaname = 'public'`,
  );
  const sequences: Footer['sequences'] = {};
  for (const { name } of present) {
    if (!SEQUENCE_NAMES.includes(name)) continue;
    const [at] = await client.unsafe<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoted(name)}`,
    );
    if (at) sequences[name] = at;
  }
  return sequences;
}
