import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';

/** Tells the workers, which inherit the environment, where the template is. */
const TEMPLATE = 'MESH_REGISTRY_E2E_TEMPLATE';

export interface DataDirectory {
  path: string;
  remove(): Promise<void>;
}

const directory = (path: string): DataDirectory => ({
  path,
  remove: () => rm(path, { recursive: true, force: true }),
});

const freshPath = () => mkdtemp(join(tmpdir(), 'mesh-registry-e2e-'));

/** Creates a migrated, empty database once, for the tests to copy. */
export async function createTemplate(): Promise<DataDirectory> {
  const path = await freshPath();
  const database = await openDatabase({ databaseUrl: undefined, dataDir: path });
  await database.close();
  process.env[TEMPLATE] = path;
  return directory(path);
}

/** An empty database for one test, on disk. */
export async function createDataDirectory(): Promise<DataDirectory> {
  const path = await freshPath();
  await cp(process.env[TEMPLATE] ?? '', path, { recursive: true });
  return directory(path);
}
