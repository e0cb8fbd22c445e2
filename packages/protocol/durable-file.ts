import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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
  const temporary = `${resolve(file)}${UNFINISHED}`;
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
  const temporary = `${resolve(file)}${UNFINISHED}-${process.pid}`;
  rmSync(temporary, { force: true });
  publish(file, temporary, data, mode, (from, to) => {
    linkSync(from, to);
    rmSync(from);
  });
}

/** After the name of a file that is being written; of a new one, the process follows. */
const UNFINISHED = '.new';
/** What nobody has touched for this long, nobody is writing any more, milliseconds. */
const ABANDONED_MS = 60_000;

/**
 * Removes what processes that were killed have left beside a file: it may be a copy of a key. Does nothing where the folder
 * cannot be read or changed.
 */
export function removeUnfinished(file: string): void {
  const path = resolve(file);
  const folder = dirname(path);
  try {
    for (const name of readdirSync(folder))
      if (name.startsWith(`${basename(path)}.`) && isAbandoned(join(folder, name), path))
        rmSync(join(folder, name), { force: true });
  } catch (error) {
    if (!HARMLESS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const HARMLESS = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS']);

function isAbandoned(one: string, file: string): boolean {
  const rest = one.slice(file.length);
  const [, pid] = /^\.new-(\d+)$/.exec(rest) ?? [];
  if (pid !== undefined) return Number(pid) === process.pid || !isRunning(Number(pid));
  // The second one is how earlier releases called what they were writing.
  if (rest !== UNFINISHED && !/^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(rest)) return false;
  const stats = statSync(one, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
