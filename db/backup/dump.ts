import {
  BackupError,
  FORMAT,
  VERSION,
  type Footer,
  type Header,
  type TableRows,
} from './format.ts';
import { appliedMigrations, historyFrom, knownMigrations } from '../history.ts';
import { SEQUENCE_NAMES, TABLE_NAMES } from './contents.ts';
import { applySettings, type Session } from './session.ts';

/** What a backup consists of, as of one moment. */
export interface Dump {
  header: Header;
  /** Each is read from the database when it is asked for. */
  tables: AsyncGenerator<TableRows>;
  sequences: Footer['sequences'];
}

/**
 * Reads a database of this release, or of an earlier one since the baseline. Nothing is migrated or changed.
 * @param session a repeatable-read transaction, so that all tables are of one moment
 * @throws BackupError for a database of another release, or of something else
 */
export async function dump(session: Session): Promise<Dump> {
  await applySettings(session);
  const migrations = historyFrom(await appliedMigrations((statement) => session.rows(statement)));
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
  return {
    header: { format: FORMAT, version: VERSION, createdAt: new Date().toISOString(), migrations },
    sequences: await sequencesOf(session),
    tables: readTables(session),
  };
}

async function* readTables(session: Session): AsyncGenerator<TableRows> {
  for (const [table, columns] of await columnsOf(session)) {
    const list = columns.map(quoted).join(', ');
    const rows = session.copyOut(`select ${list} from ${quoted(table)}`);
    yield { table, columns, rows };
  }
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The columns of each table that exists. A table comes after those that it refers to. */
async function columnsOf(session: Session): Promise<Map<string, string[]>> {
  const columns = await session.rows<{ table: string; column: string }>(`
    select c.relname::text as table, a.attname::text as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname, a.attnum`);
  const references = await session.rows<{ from: string; to: string }>(`
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

async function sequencesOf(session: Session): Promise<Footer['sequences']> {
  const present = await session.rows<{ name: string }>(
    `select sequencename::text as name from pg_sequences where schemaname = 'public'`,
  );
  const sequences: Footer['sequences'] = {};
  for (const { name } of present) {
    if (!SEQUENCE_NAMES.includes(name)) continue;
    const [at] = await session.rows<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoted(name)}`,
    );
    if (at) sequences[name] = at;
  }
  return sequences;
}
