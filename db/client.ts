import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { openEmbedded } from './embedded.ts';
import { openPostgres } from './postgres.ts';
import type * as schema from './schema.ts';

export { IN_MEMORY } from './embedded.ts';

/** Either driver, or a transaction of either. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Database {
  readonly db: Db;
  /** True for the embedded database: this process is its only user, so there are no other servers' writes to follow. */
  readonly embedded: boolean;
  /** True if Citus spreads the tables of heartbeats over several servers (npm run db:distribute). */
  readonly distributed: boolean;
  /** The time by the database's clock, milliseconds since 1970. */
  now(): Promise<number>;
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens and migrates the configured database: PostgreSQL if a URL is given, else the embedded one. */
export async function openDatabase(config: {
  databaseUrl: string | undefined;
  /** Connections to PostgreSQL at most; 10 if not given. */
  databasePoolSize?: number;
  dataDir: string;
}): Promise<Database> {
  return config.databaseUrl === undefined
    ? openEmbedded(config.dataDir)
    : openPostgres(config.databaseUrl, config.databasePoolSize);
}
