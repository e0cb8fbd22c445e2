import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Files that are whole whenever the process or the machine ends: written beside their place, flushed to the disk, then
 * moved there, and the folder's entry flushed as well. Missing folders are made for their owner alone.
 */

export interface FileOptions {
  /** Rights of the file; by default only its owner can read it. */
  mode?: number;
}

/**
 * Writes or replaces a file, whole or not at all. One process at a time: two would write to the same place beside it.
 * @throws what the file system throws, such as ENOSPC; the file is then as it was
 */
export function writeDurable(
  file: string,
  data: string | Uint8Array,
  { mode = 0o600 }: FileOptions = {},
): void {
  // One name, so that a process that is killed again and again leaves one file beside it, not many.
  const temporary = `${resolve(file)}.new`;
  // What an earlier process left could have other rights, and a mode counts for new files only.
  rmSync(temporary, { force: true });
  publish(file, temporary, data, mode, renameSync);
}

/**
 * Writes a new file, whole or not at all. Of several processes one succeeds.
 * @throws with `code` EEXIST if there is one already, or what the file system throws
 */
export function createDurable(
  file: string,
  data: string | Uint8Array,
  { mode = 0o600 }: FileOptions = {},
): void {
  const temporary = `${resolve(file)}.${randomUUID()}`;
  publish(file, temporary, data, mode, (from, to) => {
    linkSync(from, to);
    rmSync(from);
  });
}

/** @returns null if there is no such file. @throws if it cannot be read, or is not JSON */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return JSON.parse(text);
}

/** The same for what can be learned again: a damaged file is as good as none. */
export function readJsonIfWhole(file: string): unknown {
  try {
    return readJsonFile(file);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Flushes a folder's list of files. Without it, a file that was made or renamed may be gone after a power failure. */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch (error) {
    // Some file systems cannot flush a folder, and flush its list by themselves.
    if (!UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const UNSUPPORTED = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

function publish(
  file: string,
  temporary: string,
  data: string | Uint8Array,
  mode: number,
  place: (from: string, to: string) => void,
): void {
  const path = resolve(file);
  makeFolder(dirname(path));
  try {
    writeFileSync(temporary, data, { mode, flag: 'wx', flush: true });
    place(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** @param folder absolute */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    syncFolder(dirname(made));
}
