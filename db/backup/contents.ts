import { getTableName, is } from 'drizzle-orm';
import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { PgSequence, PgTable } from 'drizzle-orm/pg-core';
import { migrationsFolder } from '../migrate.ts';
import * as schema from '../schema/index.ts';
import type { Session } from './session.ts';

/** What belongs to a backup: the tables and sequences of the schema, and which migrations made them. */

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

/** Drizzle's own table. */
export const MIGRATIONS_TABLE = 'drizzle.__drizzle_migrations';

/** This release's migrations, oldest first. */
export const knownMigrations = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder });

/** The hashes of the migrations of a database, oldest first. */
export async function appliedMigrations(session: Session): Promise<string[]> {
  const [found] = await session.rows<{ exists: boolean }>(
    `select to_regclass('${MIGRATIONS_TABLE}') is not null as exists`,
  );
  if (!found?.exists) return [];
  const rows = await session.rows<{ hash: string }>(
    `select hash from ${MIGRATIONS_TABLE} order by created_at, id`,
  );
  return rows.map(({ hash }) => hash);
}
