import type { KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import type { Db } from '#db/client.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '#db/connection/lock.ts';
import type { Config } from '#server/config.ts';
import { readBlockKey, requireBlockKey } from './block-key.ts';
import { RegistryLogWriter, type Written } from './log-writer.ts';

export { RegistryLogError } from './log-writer.ts';

interface RegistryLogContext {
  config: Pick<Config, 'registryLog'>;
  db: Db;
  log: Logger;
  /** Milliseconds since 1970. */
  clock: () => number;
}

/** How a run ended. */
export type Run =
  | ({ head: Head } & Written)
  /** Another process writes this log. */
  | { writer: number };

/** A Genesis reads it as another user. One that is there already stays as its operator has made it. */
function makeReadable(directory: string): void {
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
 * One process at a time writes it: it locks the directory from its first run until it stops.
 * @param trust whose signatures count, of TRUTH_FILE; another one after that has changed
 */
export function createRegistryLog(
  { config, db, log, clock }: RegistryLogContext,
  trust: () => Trust | null,
) {
  const settings = config.registryLog;
  const observed = settings && new ObservedLog(settings.directory);
  let key: KeyObject | null = null;
  let lock: DirectoryLock | null = null;
  let open: { writer: RegistryLogWriter; trust: Trust } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<Run | null> = Promise.resolve(null);
  let stopped = false;
  /** What the last run complained of: told once. */
  let complaint = '';

  async function round(): Promise<Run | null> {
    const current = trust();
    if (!settings || !key || !current || stopped) return null;
    try {
      makeReadable(settings.directory);
      lock ??= await lockDirectory(settings.directory, { waitMs: 0 });
    } catch (error) {
      if (error instanceof DirectoryInUseError) return { writer: error.pid };
      throw error;
    }
    requireBlockKey(key, current);
    if (open?.trust !== current) await close();
    open ??= {
      writer: new RegistryLogWriter({
        directory: settings.directory,
        db,
        key,
        trust: current,
        clock,
      }),
      trust: current,
    };
    const { writer } = open;
    try {
      const written = await writer.write();
      return { head: writer.head, ...written };
    } catch (error) {
      // Opened again, it says what is on disk.
      await close();
      throw error;
    }
  }

  async function close(): Promise<void> {
    const closing = open;
    open = null;
    await closing?.writer.close();
  }

  /** Runs one after the other. */
  function write(): Promise<Run | null> {
    running = running.catch(() => null).then(round);
    return running;
  }

  async function writeByItself(): Promise<void> {
    try {
      const run = await write();
      complaint = '';
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
     * @throws DamagedLogError, RegistryLogError, ConfigError; AppError `unavailable`; what the file system throws
     */
    write,
    /** Where the log ends, whoever writes it; null: there is none. @throws DamagedLogError */
    head(): Head | null {
      return open?.writer.head ?? observed?.head ?? null;
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
      stopped = true;
      clearInterval(timer);
      await running.catch(() => null);
      await close();
      lock?.release();
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
