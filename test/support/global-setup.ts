import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#db/client.ts';
import { build, isBuilt } from '../../scripts/build.mjs';
import { migratedTemplate } from './databases.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated data directory of the embedded database, to copy. */
    embeddedTemplate: string;
    /** A server on which tests create their databases. */
    postgresUrl: string;
    /** The name of a migrated database on it, to clone. */
    postgresTemplate: string;
  }
}

/** Prepares what all tests share: the build, a PostgreSQL server, and a migrated database of each kind. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!isBuilt()) await build({ quiet: true });

  // A setting of the tests alone; the service does not read it.
  const given = process.env['TEST_DATABASE_URL'];
  const own = given === undefined ? await startPostgres() : undefined;
  const url = given ?? own?.url() ?? '';
  const template = await migratedTemplate(url);

  project.provide('embeddedTemplate', '');
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', template.name);
  return async () => {
    await template.drop();
    await own?.stop();
  };
}
