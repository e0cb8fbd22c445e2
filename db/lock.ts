import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * One process per data directory: the embedded database loses data silently when two open it.
 *
 * The lock is a file that names its owner. It appears whole and atomically (written aside, then
 * linked into place), and a dead owner's lock is taken over under a second, short-lived lock, so that
 * of two processes which both see a dead owner exactly one goes on.
 */
export interface DirectoryLock {
  release(): void;
}

/** Another living process has the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(
      `The data directory ${directory} is in use by process ${pid}. Stop that process, or set DATA_DIR to another directory.`,
    );
  }
}

interface Owner {
  pid: number;
  /** When the process started, as the kernel counts; null where the platform does not tell. */
  started: string | null;
}

/**
 * A take-over lasts microseconds; one that is older than this, and whose process is gone, was left by a
 * crash in the middle of it. (One whose process lives may only be held up by its machine: it goes on.)
 */
const TAKEOVER_STALE_MS = 2000;

export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'mesh.lock');
  const aside = `${path}.${randomUUID()}`;
  const me = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner);
  writeFileSync(aside, me);
  try {
    if (!link(aside, path)) takeOver(directory, path, aside);
  } finally {
    rmSync(aside, { force: true });
  }
  return {
    release() {
      if (read(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

function takeOver(directory: string, path: string, aside: string): void {
  const guard = `${path}.takeover`;
  if (!link(aside, guard)) {
    const taker = read(guard);
    if (ageMs(guard) < TAKEOVER_STALE_MS || (taker !== null && alive(taker)))
      throw inUse(directory, taker ?? read(path));
    rmSync(guard, { force: true });
    if (!link(aside, guard)) throw inUse(directory, read(guard) ?? read(path));
  }
  try {
    const owner = read(path);
    if (owner === null) {
      // Let go of in this very moment: whoever links first has it.
      if (!link(aside, path)) throw inUse(directory, read(path));
    } else if (alive(owner)) {
      throw inUse(directory, owner);
    } else {
      renameSync(aside, path);
    }
  } finally {
    rmSync(guard, { force: true });
  }
}

const inUse = (directory: string, owner: Owner | null) =>
  new DirectoryInUseError(directory, owner?.pid ?? 0);

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return Infinity;
  }
}

/** A pid is used again, after a restart of the machine or in a new container; the start time tells the two apart. */
function alive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  return owner.started === null || owner.started === startOf(owner.pid);
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces, so count from its closing bracket. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
