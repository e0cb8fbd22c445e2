import {
  EmbeddedError,
  joinEmbedded,
  startEmbedded,
  startOrJoinEmbedded,
  type Embedded,
  type EmbeddedOptions,
  type Log,
} from './embedded/index.ts';
import { isAbsent } from './connection/errors.ts';
import { openPostgres, type Database } from './postgres.ts';

export type { Database, Db } from './postgres.ts';

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
