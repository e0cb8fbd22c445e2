import type { TestProject } from 'vitest/node';
import { build, isBuilt } from '../../scripts/build.mjs';
import { startDatabaseServer } from './databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests create their databases. */
    postgresUrl: string;
    /** The name of a migrated database on it, to clone. */
    postgresTemplate: string;
  }
}

/** Prepares what all tests share: the build, a PostgreSQL server, and a migrated database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!isBuilt()) await build({ quiet: true });
  const server = await startDatabaseServer();
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', server.template);
  return server.stop;
}
