import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Embedded } from './embedded/index.ts';
import type * as schema from './schema/index.ts';

/** The database, or a transaction of it. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Database {
  readonly db: Db;
  /** The server of our own; null for the one of DATABASE_URL. */
  readonly embedded: Pick<Embedded, 'space' | 'restarts'> | null;
  /** True if Citus spreads the tables of heartbeats over several servers (npm run db:distribute). */
  readonly distributed: boolean;
  /** The time by the database's clock, milliseconds since 1970. */
  now(): Promise<number>;
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
