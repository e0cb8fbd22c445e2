import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Account } from './account.ts';
import type { Log } from './server-log.ts';

const MB = 1024 * 1024;
/** With less free space than this, bytes, writes are refused. */
export const LOW_BYTES = 64 * MB;
/** So much is kept for the moment when nothing else is left: PostgreSQL needs space to end in order and to recover. */
export const RESERVE_BYTES = 64 * MB;
/** With less than this, bytes, the reserve is given up. */
const EXHAUSTED_BYTES = 8 * MB;
/** So much more must be free than the reserve takes and leaves, bytes, or it would be made and given up in turn. */
const MARGIN_BYTES = 16 * MB;
const CHECK_MS = 1000;

/** The reserve is this file in a directory of the cluster. If it is empty, it was given up. */
const RESERVE = 'mesh-registry-reserve';

/**
 * The free space of the file systems of a cluster and of its log (`pg_wal` may lead elsewhere). A database that runs
 * out of space fails in the middle of something; here writes are refused before, and go on by themselves.
 */
export class DiskSpace {
  /** The least of the file systems, bytes; Infinity before the first check. */
  freeBytes = Infinity;
  full = false;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #filling: Promise<void> | undefined;
  #stopped = false;

  /** @param reserve whether this process keeps the reserve, and for whom; null if another one does, or nobody */
  constructor(
    private readonly cluster: string,
    private readonly reserve: { account: Account | undefined } | null,
    private readonly log: Log,
  ) {}

  /** Checks every second, and makes the reserve once there is space for it. */
  watch(): void {
    // A process that was killed meanwhile has left it.
    if (this.reserve)
      for (const directory of this.#places())
        rmSync(join(directory, `${RESERVE}.new`), { force: true });
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
    void this.check();
  }

  /** Checks now, and gives up the reserve if nothing else is left. */
  check(): Promise<void> {
    return (this.#checking ??= this.#check()
      // The file system does not tell, or the cluster is gone: PostgreSQL will say so.
      .catch(() => undefined)
      .finally(() => (this.#checking = undefined)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#checking;
    await this.#filling;
  }

  async #check(): Promise<void> {
    const states = await Promise.all(
      this.#places().map(async (directory) => ({ directory, ...(await spaceOf(directory)) })),
    );
    for (const state of states) {
      if (state.free >= EXHAUSTED_BYTES || state.reserved === 0 || !this.reserve) continue;
      this.#giveUp(state.directory);
      Object.assign(state, await spaceOf(state.directory));
    }
    this.freeBytes = Math.min(...states.map(({ free }) => free));
    const full = states.some(
      ({ free, reserved, given }) =>
        free < LOW_BYTES || (given && reserved === 0 && free < LOW_BYTES + RESERVE_BYTES),
    );
    if (full !== this.full) this.#say(full);
    this.full = full;
    // The reserve is made only once the server runs: a start does not wait for it.
    if (!this.reserve || full || !this.#timer || this.#stopped || this.#filling) return;
    const missing = states.find(
      ({ free, reserved }) => reserved === 0 && free >= LOW_BYTES + RESERVE_BYTES + MARGIN_BYTES,
    );
    if (missing)
      this.#filling = this.#fill(missing.directory).finally(() => (this.#filling = undefined));
  }

  #say(full: boolean): void {
    const freeMb = Math.floor(this.freeBytes / MB);
    if (full)
      this.log.error(
        { freeMb, cluster: this.cluster },
        'the disk is almost full: writes are refused until there is space again',
      );
    else this.log.warn({ freeMb }, 'the disk has space again: writes are accepted');
  }

  /** The cluster, and its log if that is on another file system. */
  #places(): string[] {
    const wal = join(this.cluster, 'pg_wal');
    if (!existsSync(wal)) return [this.cluster];
    const elsewhere = statSync(wal).dev !== statSync(this.cluster).dev;
    return elsewhere ? [this.cluster, realpathSync(wal)] : [this.cluster];
  }

  #giveUp(directory: string): void {
    // A link is not followed: the directory is the account's, who may have put it there.
    const file = openSync(join(directory, RESERVE), constants.O_WRONLY | constants.O_NOFOLLOW);
    ftruncateSync(file);
    closeSync(file);
    this.log.error({ directory }, 'the disk is full: the reserve is given up, so that it can end');
  }

  async #fill(directory: string): Promise<void> {
    const path = join(directory, RESERVE);
    const draft = `${path}.new`;
    try {
      await rm(draft, { force: true });
      const file = await open(draft, 'wx', 0o600);
      try {
        const { account } = this.reserve ?? {};
        // PostgreSQL reads every file of the cluster when it recovers.
        if (account) await file.chown(account.uid, account.gid);
        // No file system can shrink random bytes.
        const piece = randomBytes(MB);
        for (let written = 0; written < RESERVE_BYTES && !this.#stopped; written += MB)
          await file.write(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      if (this.#stopped) return await rm(draft, { force: true });
      await rename(draft, path);
    } catch {
      // There is no space for it, so the database goes on without.
      rmSync(draft, { force: true });
    }
  }
}

async function spaceOf(
  directory: string,
): Promise<{ free: number; reserved: number; given: boolean }> {
  const { bavail, bsize } = await statfs(directory);
  const file = lstatSync(join(directory, RESERVE), { throwIfNoEntry: false });
  return { free: bavail * bsize, reserved: file?.size ?? 0, given: file?.isFile() ?? false };
}
