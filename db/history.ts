import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Which migrations there are, and which of them have made a database. */

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

/**
 * The hashes of the migrations that have been applied to a database, oldest first.
 * @param rowsOf runs a statement in it
 */
export async function appliedMigrations(
  rowsOf: (statement: string) => PromiseLike<unknown>,
): Promise<string[]> {
  const [found] = (await rowsOf(
    `select to_regclass('${MIGRATIONS_TABLE}') is not null as exists`,
  )) as { exists: boolean }[];
  if (!found?.exists) return [];
  const rows = (await rowsOf(`select hash from ${MIGRATIONS_TABLE} order by created_at, id`)) as {
    hash: string;
  }[];
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
