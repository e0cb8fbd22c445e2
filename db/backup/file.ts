import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupError, BackupReader, type Footer, type Header } from './format.ts';

/** Backups as files: the format, compressed with gzip. */

/**
 * Writes a backup. The file appears under its name only once it is complete, has been read back and checked, and is on
 * the disk. Only its owner can read it: it holds password hashes.
 * @throws BackupError if a file of this name exists, or the backup is incomplete
 */
export async function writeBackup(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Footer> {
  if (existsSync(path)) throw new BackupError(`${path} exists already. Choose another name.`);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(bytes, { objectMode: false }), createGzip(), file);
    const { footer } = await checkBackup(draft);
    await rename(draft, path);
    await syncDirectory(dirname(path));
    return footer;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The bytes of a backup. @throws BackupError while reading, if it is not one or is cut off */
export async function* readBackup(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  try {
    // Errors of either stream end up here.
    const gunzip = createGunzip();
    const piped = pipeline(file, gunzip);
    piped.catch(() => undefined);
    for await (const chunk of gunzip) yield chunk as Buffer;
    await piped;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'Z_BUF_ERROR')
      throw new BackupError('The backup is incomplete: its end is missing.', { cause: error });
    if (typeof code === 'string' && code.startsWith('Z_'))
      throw new BackupError('This file is damaged, or not a backup made by npm run backup.', {
        cause: error,
      });
    throw error;
  } finally {
    file.destroy();
  }
}

/** Reads a backup to its end. @throws BackupError unless it is complete and unchanged */
export async function checkBackup(path: string): Promise<{ header: Header; footer: Footer }> {
  const reader = new BackupReader(readBackup(path));
  const header = await reader.header();
  for await (const { rows } of reader.tables()) for await (const _ of rows);
  return { header, footer: reader.footer };
}

/** Makes a new name in a directory survive a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
