import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveName, EMBEDDED_SETTINGS } from './cluster.ts';
import { migrateEmbedded } from './migrate.ts';
import * as schema from './schema.ts';

/** Run by the build: writes the archive that first starts unpack into the directory given, and prints its path. */
async function prepare(directory: string): Promise<string> {
  const path = join(directory, archiveName());
  if (existsSync(path)) return path;
  const client = await PGlite.create({ postgresqlconf: EMBEDDED_SETTINGS });
  await migrateEmbedded(drizzle({ client, schema, casing: 'snake_case' }));
  await client.exec('vacuum');
  await client.exec('checkpoint');
  const archive = await client.dumpDataDir('gzip');
  await client.close();
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, Buffer.from(await archive.arrayBuffer()));
  renameSync(draft, path);
  return path;
}

console.log(await prepare(process.argv[2] ?? '.'));
