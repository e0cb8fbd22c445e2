import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { migrationsFolder } from './migrate.ts';

/**
 * The files of the embedded database, a "cluster" in PostgreSQL's terms. Creating them (initdb) takes
 * seconds, so the build does it once and leaves an archive that every first start unpacks.
 */

/**
 * The defaults suit a machine that runs nothing else (750 MB resident); these keep the whole process
 * under 200 MB. With a small max_wal_size a checkpoint recycles the log.
 */
export const EMBEDDED_SETTINGS = [
  'shared_buffers=16MB',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
  'wal_level=minimal',
  'max_wal_senders=0',
];

const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite');

/**
 * The name of the gzipped tar archive with an empty, migrated cluster. It depends on the version of
 * PGlite and on the migrations, so an archive of others is never found.
 */
export function archiveName(): string {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(dirname(pglite), '..', 'package.json')));
  for (const file of readdirSync(migrationsFolder).sort())
    if (file.endsWith('.sql')) hash.update(file).update(readFileSync(join(migrationsFolder, file)));
  return `empty-database-${hash.digest('hex').slice(0, 16)}.tar.gz`;
}

/** The archive that the build left; null if it left none. */
function findArchive(): Buffer<ArrayBuffer> | null {
  const path = join(migrationsFolder, '..', '..', 'build', archiveName());
  return existsSync(path) ? readFileSync(path) : null;
}

/** The prepared cluster for a database in memory; null if the build left none. */
export function preparedCluster(): Blob | null {
  const archive = findArchive();
  return archive && new Blob([archive], { type: 'application/gzip' });
}

/**
 * Creates the files of a new database, from an archive or else from scratch. They are written beside and
 * then renamed, so that a start that is killed halfway leaves nothing that looks like a database.
 */
export async function createCluster(directory: string, archive = findArchive()): Promise<void> {
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  if (archive) unpack(gunzipSync(archive), draft);
  else await initdb(draft);
  renameSync(draft, directory);
}

/** In a process of its own, because the half gigabyte that this takes is given back only when a process ends. */
async function initdb(directory: string): Promise<void> {
  const options = { dataDir: directory, postgresqlconf: EMBEDDED_SETTINGS };
  await promisify(execFile)(process.execPath, [
    '-e',
    `require(${JSON.stringify(pglite)}).PGlite.create(${JSON.stringify(options)}).then((client) => client.close())`,
  ]);
}

/** A tar archive is a row of blocks: a header that names a file and its size, then its content. */
const BLOCK = 512;
const DIRECTORY = '5';

function unpack(archive: Buffer, target: string): void {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const text = (from: number, length: number) =>
    archive.toString('latin1', from, from + length).replace(/\0.*/s, '');
  for (let header = 0; text(header, 100) !== '';) {
    const path = join(target, text(header, 100));
    const size = parseInt(text(header + 124, 12), 8) || 0;
    const content = header + BLOCK;
    if (text(header + 156, 1) === DIRECTORY) mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, archive.subarray(content, content + size), { mode: 0o600 });
    header = content + Math.ceil(size / BLOCK) * BLOCK;
  }
}
