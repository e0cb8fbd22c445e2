import type postgres from 'postgres';
import { sql, type SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { failure } from './connection/connection.ts';
import { isAbsent, STORAGE_FULL } from './connection/errors.ts';
import { Pool } from './connection/pool.ts';
import {
  IDLE_IN_TRANSACTION_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  UNIT_TIMEOUT_MS,
} from './connection/timeout.ts';
import {
  EmbeddedError,
  joinEmbedded,
  startEmbedded,
  startOrJoinEmbedded,
  type Embedded,
  type EmbeddedOptions,
  type Log,
} from './embedded/index.ts';
import { migratePostgres } from './migrate.ts';
import * as schema from './schema/index.ts';

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

export interface DatabaseConfig {
  databaseUrl: string | undefined;
  /** Connections of a process at most; 10 if not given. */
  databasePoolSize?: number;
  dataDir: string;
  /** Processes that share the database. */
  webConcurrency?: number;
}

/** Who runs the embedded database: this process, another one, or another one if there is one. */
export type Ownership = 'own' | 'join' | 'own or join';

/** How the embedded database is opened; of no meaning for that of DATABASE_URL. */
export interface OpenOptions extends Pick<
  EmbeddedOptions,
  'passing' | 'besideOldRelease' | 'mustExist'
> {
  log?: Log | undefined;
  ownership?: Ownership;
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const POOL_SIZE = 10;

/** Opens and migrates the configured database: that of DATABASE_URL, else the embedded one. */
export async function openDatabase(
  config: DatabaseConfig,
  options: OpenOptions = {},
): Promise<Database> {
  const { databaseUrl, databasePoolSize = POOL_SIZE } = config;
  if (databaseUrl !== undefined) return openPostgres(databaseUrl, { poolSize: databasePoolSize });
  const embedded = await openEmbedded(config, options);
  try {
    const database = await openPostgres(embedded.url, { poolSize: databasePoolSize, embedded });
    return {
      ...database,
      async close() {
        await database.close();
        await embedded.stop();
      },
    };
  } catch (error) {
    await embedded.stop();
    if (!isAbsent(error)) throw error;
    throw new EmbeddedError('The process that runs the database has ended meanwhile. Try again.', {
      cause: error,
    });
  }
}

/** The server of the embedded database alone, without a connection to it. */
export function openEmbedded(
  config: Omit<DatabaseConfig, 'databaseUrl'>,
  { log = SILENT, ownership = 'own', ...rest }: OpenOptions = {},
): Promise<Embedded> {
  const { dataDir } = config;
  const options: EmbeddedOptions = { ...rest, dataDir, log, connections: connectionsOf(config) };
  if (ownership === 'join') return Promise.resolve(joinEmbedded(dataDir, log));
  return ownership === 'own' ? startEmbedded(options) : startOrJoinEmbedded(options);
}

/** What all processes of the service need at most: their pools, and two more each while it starts (migrate.ts). */
export const connectionsOf = ({
  databasePoolSize = POOL_SIZE,
  webConcurrency = 1,
}: Pick<DatabaseConfig, 'databasePoolSize' | 'webConcurrency'>): number =>
  webConcurrency * (databasePoolSize + 2);

/** @param options.embedded the server that the URL leads to, if it is our own */
async function openPostgres(
  url: string,
  { poolSize, embedded }: { poolSize: number; embedded?: Embedded },
): Promise<Database> {
  await migratePostgres(url);
  const pool = new Pool(url, {
    max: poolSize,
    ...(embedded && {
      // It is back in a moment when it has ended by itself.
      patient: true,
      refuseWrites: () => (embedded.space.full ? failure(STORAGE_FULL) : null),
    }),
    timeoutMs: UNIT_TIMEOUT_MS,
    session: {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  });
  // The part of the driver's interface that drizzle uses.
  const client = pool as unknown as postgres.Sql;
  const db = drizzle({ client, schema, casing: 'snake_case' });
  const distributed = await isDistributed(db).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  let pinging: Promise<void> | undefined;
  return {
    db,
    embedded: embedded ?? null,
    distributed,
    async now() {
      const [clock] = await db
        .select({ ms: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8` })
        .from(sql`(values (1)) as one`);
      if (!clock) throw new Error('the database did not tell the time');
      return Number(clock.ms);
    },
    // Everyone who asks at the same time shares one statement.
    ping: () =>
      (pinging ??= (async () => {
        try {
          await db.execute(sql`select 1`);
        } finally {
          pinging = undefined;
        }
      })()),
    close: () => pool.close(),
  };
}

/** Whether `npm run db:distribute` has been run on the database. */
async function isDistributed(db: PostgresJsDatabase<typeof schema>): Promise<boolean> {
  const ask = async (from: SQL) => (await db.select({ found: sql`1` }).from(from)).length > 0;
  return (
    (await ask(sql`pg_class where oid = to_regclass('pg_dist_partition')`)) &&
    (await ask(sql`pg_dist_partition where logicalrelid = 'peers'::regclass`))
  );
}
