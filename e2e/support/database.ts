import { createPostgresDatabase, startDatabaseServer } from '../../test/support/databases.ts';
import { AUTH_SECRET } from '../../test/support/server.ts';

/** Tell the workers, which inherit the environment, where to create databases, and from what. */
const SERVER = 'MESH_REGISTRY_E2E_POSTGRES';
const TEMPLATE = 'MESH_REGISTRY_E2E_TEMPLATE';

/** The configuration that selects the database of a test, for its server and for what prepares it. */
export type Data = Record<'DATABASE_URL' | 'AUTH_SECRET', string>;

export interface OwnDatabase {
  data: Data;
  drop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server with a migrated, empty database, for the tests to clone.
 * @returns stops it
 */
export async function prepareDatabases(): Promise<() => Promise<void>> {
  const server = await startDatabaseServer();
  process.env[SERVER] = server.url;
  process.env[TEMPLATE] = server.template;
  return server.stop;
}

/** An empty database for one test. */
export async function createDatabase(): Promise<OwnDatabase> {
  const { url, drop } = await createPostgresDatabase(
    process.env[SERVER] ?? '',
    process.env[TEMPLATE],
  );
  return { data: { DATABASE_URL: url, AUTH_SECRET }, drop };
}
