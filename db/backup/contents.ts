import { getTableName, is } from 'drizzle-orm';
import { PgSequence, PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../schema/index.ts';

/** What belongs to a backup: the tables and sequences of the schema. */

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
