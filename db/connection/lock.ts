import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processStat } from './process-stat.ts';

/**
 * One process per data directory: it owns the embedded database, and nobody else starts or ends that.
 *
 * The lock is a file that names its owner. It appears whole and atomically (written under another name,
 * then linked into place). The lock of a dead owner is taken over under a second, short-lived lock, so
 * that exactly one of two processes that find the same dead owner wins.
 */
export interface DirectoryLock {
  release(): void;
}

/** Another running process holds the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
  constructor(
    readonly directory: string,
    /** 0: not known. */
    readonly pid: number,
  ) {
    super(
      `The data directory ${directory} is in use by ${pid ? `process ${pid}` : 'a process that cannot be seen from here, in another container for example'}. Stop that process, or set DATA_DIR to another directory.`,
    );
  }
}

interface Owner {
  pid: number;
  /** When the process started, in the kernel's own count; null where the platform does not tell. */
  started: string | null;
}

/** How long a start waits for an owner that may be shutting down, milliseconds. */
export const WAIT_MS = 3000;
const RETRY_MS = 50;

/**
 * A takeover lasts microseconds. One that is older than this, milliseconds, and whose process is gone was
 * cut short by a crash. (If its process is still running, the machine may only have paused it.)
 */
const TAKEOVER_STALE_MS = 2000;

/**
 * Locks a directory for this process, creating it if it is missing. Waits for an owner that may be
 * shutting down.
 * @param options.waitMs the longest wait, milliseconds
 * @throws DirectoryInUseError if another running process still holds it after that
 */
export async function lockDirectory(
  directory: string,
  options: { waitMs?: number } = {},
): Promise<DirectoryLock> {
  // For root, the database in it runs as another account, which has to get through.
  const isRoot = process.geteuid?.() === 0;
  mkdirSync(directory, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
  const path = join(directory, 'mesh.lock');
  const draft = `${path}.${randomUUID()}`;
  const started = processStat(process.pid)?.started ?? null;
  const deadline = performance.now() + (options.waitMs ?? WAIT_MS);
  try {
    writeDraft(draft, { pid: process.pid, started }, isRoot ? statSync(directory) : null);
    for (;;) {
      const owner = acquire(path, draft);
      if (owner === null) break;
      if (performance.now() > deadline) throw new DirectoryInUseError(directory, owner.pid);
      await sleep(RETRY_MS);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    release() {
      const owner = readOwner(path);
      if (owner === 'missing') return;
      if (owner.pid === process.pid && owner.started === started) rmSync(path, { force: true });
    },
  };
}

/**
 * Writes a lock under another name.
 * @param receiver whose it becomes, for root: a command that was killed leaves a lock that the service can read
 */
function writeDraft(path: string, owner: Owner, receiver: Stats | null): void {
  // By the descriptor: whoever owns the directory may have put a link of the same name in its place meanwhile.
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, JSON.stringify(owner));
    if (receiver) fchownSync(file, receiver.uid, receiver.gid);
  } finally {
    closeSync(file);
  }
}

/** One attempt. Returns null if the lock is ours now, else the process in the way. */
function acquire(path: string, draft: string): Owner | null {
  if (link(draft, path)) return null;
  const owner = readOwner(path);
  if (owner !== 'missing' && isOwnerRunning(owner)) return owner;

  const guard = `${path}.takeover`;
  if (!link(draft, guard)) {
    const taker = readOwner(guard);
    if (taker === 'missing') return UNKNOWN;
    if (ageMs(guard) < TAKEOVER_STALE_MS || isOwnerRunning(taker)) return taker;
    rmSync(guard, { force: true });
    if (!link(draft, guard)) return UNKNOWN;
  }
  try {
    // The lock may have changed hands before this process held the guard.
    const current = readOwner(path);
    if (current === 'missing') return link(draft, path) ? null : UNKNOWN;
    if (isOwnerRunning(current)) return current;
    renameSync(draft, path);
    return null;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Another process was faster; a later attempt finds out which. It is not a running process. */
const UNKNOWN: Owner = { pid: 0, started: null };

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** `UNKNOWN` for a file that names no process, such as an empty one that a power cut left behind. */
function readOwner(path: string): Owner | 'missing' {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner> | null;
    if (!owner || !Number.isInteger(owner.pid)) return UNKNOWN;
    return { pid: Number(owner.pid), started: owner.started ?? null };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
    if (error instanceof SyntaxError) return UNKNOWN;
    throw error;
  }
}

function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return Infinity;
  }
}

/**
 * Whether the process that wrote the lock still runs. Pids are reused after a reboot or in a new container, so the start
 * time has to match, unless the system hides it from us.
 */
function isOwnerRunning({ pid, started }: Owner): boolean {
  if (!isRunning(pid)) return false;
  const stat = processStat(pid);
  return started === null || stat === null || started === stat.started;
}
