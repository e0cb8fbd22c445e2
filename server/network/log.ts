import type { KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import type { Db } from '#db/client.ts';
import { isTransient } from '#db/connection/errors.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '#db/connection/lock.ts';
import { unavailable } from '#server/common/with-retry.ts';
import type { Config } from '#server/config.ts';
import { readBlockKey, requireBlockKey } from './block-key.ts';
import { LogHead, RENEW_MS, type RecordedHead } from './log-head.ts';
import {
  compareWithGenesis,
  damagedLog,
  isCompared,
  lostLease,
  openRegistryLog,
  type LogOptions,
} from './log-opening.ts';
import { recoverRegistryLog } from './log-recovery.ts';
import { RegistryLogWriter, type Written } from './log-writer.ts';

export { RegistryLogError } from './log-opening.ts';

interface RegistryLogContext {
  config: Pick<Config, 'registryLog' | 'genesis'>;
  db: Db;
  log: Logger;
  /** Milliseconds since 1970. */
  clock: () => number;
}

/** How a run ended. */
export type Run =
  | ({ head: Head } & Written)
  /** Another process writes in this directory. */
  | { writer: number }
  /** Another process writes the log of this database, in another directory. */
  | { elsewhere: true };

/** A Genesis reads it as another user. One that is there already stays as its operator has made it. */
export function makeReadable(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o755);
}

/** The process that writes the log in a directory; null: none does. */
export async function runningWriter(directory: string): Promise<number | null> {
  if (!existsSync(directory)) return null;
  try {
    (await lockDirectory(directory, { waitMs: 0 })).release();
    return null;
  } catch (error) {
    if (error instanceof DirectoryInUseError) return error.pid;
    throw error;
  }
}

/**
 * The public log of the registry, in the directory REGISTRY_LOG_DIR. Without that, it does nothing.
 *
 * One process at a time writes it: it locks the directory and has the lease in the database, from its first run until it
 * stops or can't go on.
 * @param trust whose signatures count, of TRUTH_FILE; another one after that has changed
 */
export function createRegistryLog(
  { config, db, log, clock }: RegistryLogContext,
  trust: () => Trust | null,
) {
  const settings = config.registryLog;
  const observed = settings && new ObservedLog(settings.directory);
  const head = new LogHead(db);
  const end = new AbortController();
  let key: KeyObject | null = null;
  let lock: DirectoryLock | null = null;
  let open: { writer: RegistryLogWriter; trust: Trust; compared: boolean } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  /** What the last run complained of: told once. */
  let complaint = '';
  /** Another machine writes: told once. */
  let waiting = false;

  /** Does something with the log that only one process may do. @returns who keeps this one from it, if somebody does */
  async function alone<T>(
    work: (options: LogOptions, recorded: RecordedHead | null) => Promise<T>,
  ): Promise<T | Exclude<Run, { head: Head }> | null> {
    const current = trust();
    if (!settings || !key || !current || end.signal.aborted) return null;
    const { directory } = settings;
    try {
      makeReadable(directory);
      lock ??= await lockDirectory(directory, { waitMs: 0 });
    } catch (error) {
      if (error instanceof DirectoryInUseError) return { writer: error.pid };
      throw error;
    }
    try {
      requireBlockKey(key, current);
      const recorded = await head.take();
      if (recorded === 'held') {
        await leave();
        return { elsewhere: true };
      }
      renewing ??= setInterval(() => void head.renew().catch(() => undefined), RENEW_MS).unref();
      const { healthUrl: genesisUrl } = config.genesis;
      const options = { directory, trust: current, clock, head, genesisUrl, end: end.signal };
      return await work(options, recorded);
    } catch (error) {
      // Opened again, it says what is on disk. Meanwhile a command may put that in order.
      await leave();
      if (error instanceof DamagedLogError) throw damagedLog(error);
      throw isTransient(error) ? unavailable(error) : error;
    }
  }

  async function round(accept = false): Promise<Run | null> {
    return alone(async (options, recorded) => {
      if (open && (open.trust !== options.trust || open.writer.end.id !== recorded?.id))
        await close();
      if (!open) open = await openWriter(options, recorded, accept);
      else if (!open.compared) open.compared = await compare(open.writer, options);
      const { writer } = open;
      const written = await writer.write();
      return { head: writer.end, ...written };
    });
  }

  async function openWriter(options: LogOptions, recorded: RecordedHead | null, accept: boolean) {
    const opened = await openRegistryLog(options, recorded, accept);
    try {
      const writer = await RegistryLogWriter.open({ ...options, log: opened.log, db, key: key! });
      return { writer, trust: options.trust, compared: opened.compared };
    } catch (error) {
      await opened.log.close();
      throw error;
    }
  }

  const compare = async ({ log }: RegistryLogWriter, options: LogOptions) =>
    isCompared(await compareWithGenesis(log, options));

  async function close(): Promise<void> {
    const closing = open;
    open = null;
    await closing?.writer.close();
  }

  /** Lets others write. */
  async function leave(): Promise<void> {
    clearInterval(renewing);
    renewing = undefined;
    try {
      await close();
      // Without a database, the lease ends by itself.
      await head.release().catch(() => undefined);
    } finally {
      lock?.release();
      lock = null;
    }
  }

  /** Runs one after the other. */
  function next<T>(run: () => Promise<T>): Promise<T> {
    const done = running.then(run);
    running = done.catch(() => undefined);
    return done;
  }

  const write = () => next(() => round());

  async function writeByItself(): Promise<void> {
    try {
      const run = await write();
      complaint = '';
      const isWaiting = run !== null && 'elsewhere' in run;
      if (isWaiting && !waiting)
        log.info('another machine writes the registry’s log; this one waits until it stops');
      waiting = isWaiting;
      if (run && 'head' in run && run.events > 0)
        log.info(
          { events: run.events, blocks: run.blocks, height: run.head.height },
          'wrote the registry’s log',
        );
    } catch (error) {
      const message = String(error);
      if (message !== complaint) log.error({ err: error }, 'could not write the registry’s log');
      complaint = message;
    }
  }

  return {
    /** Reads the key. @throws ConfigError if there is none, others can read it, or it does not count in the network */
    load(): void {
      if (!settings) return;
      key = readBlockKey(settings.keyFile, settings.keyGuarded);
      const current = trust();
      if (current) requireBlockKey(key, current);
    },
    /**
     * Writes what is new. Also runs by itself.
     * @returns null if there is nothing to write to
     * @throws RegistryLogError, ConfigError; AppError `unavailable`; what the file system throws
     */
    write,
    /** The same, after the operator has taken the end of the log on disk for the right one. Genesis may still object. */
    acceptHead: () => next(() => round(true)),
    /**
     * Completes the log with the blocks of a peer.
     * @param from the address of its health server, or a directory with a copy of the log
     * @throws RegistryLogError, and what `write` throws
     */
    recover: (from: string) =>
      next(() =>
        alone(async (options, recorded) => {
          await close();
          const recovered = await recoverRegistryLog(options, recorded, from);
          const isOurs = await (recorded
            ? head.settle(recovered.head)
            : head.create(recovered.head));
          if (!isOurs) throw lostLease();
          return recovered;
        }),
      ),
    /** Where the log ends, whoever writes it; null: there is none. @throws DamagedLogError */
    head(): Head | null {
      return open?.writer.end ?? observed?.head ?? null;
    },
    /** Whether the last attempt to write by itself has failed. */
    failing: () => complaint !== '',
    start(): void {
      if (!settings) return;
      timer = setInterval(() => void writeByItself(), settings.everyMs).unref();
      void writeByItself();
    },
    /** Waits for the run under way. */
    async stop(): Promise<void> {
      end.abort();
      clearInterval(timer);
      await running;
      await leave();
    },
  };
}

/** How old what is told of a log that another process writes may be, milliseconds. */
const LOOK_MS = 1000;

/** A log that another process writes. Pages ask for it often, so it is looked at once a second at most. */
class ObservedLog {
  #seen: { reader: BlockReader; at: number } | null = null;

  constructor(private readonly directory: string) {}

  /** Where it ends; null: there is none yet. @throws DamagedLogError */
  get head(): Head | null {
    if (!existsSync(this.directory)) return null;
    const now = performance.now();
    try {
      if (!this.#seen) this.#seen = { reader: BlockReader.open(this.directory), at: now };
      else if (now - this.#seen.at > LOOK_MS) {
        this.#seen.reader.refresh();
        this.#seen.at = now;
      }
      return this.#seen.reader.head;
    } catch (error) {
      this.#seen = null;
      throw error;
    }
  }
}
