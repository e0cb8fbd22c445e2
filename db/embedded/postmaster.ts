import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../connection/process-stat.ts';
import type { Account } from './account.ts';
import { ENVIRONMENT, type Binaries } from './binaries.ts';
import { EmbeddedError } from '../connection/errors.ts';
import { isServerOf, PID_FILE, readPidFile } from './leftover.ts';
import { writeOwned } from './owned-file.ts';
import { readServerLine, READY, type Log } from './server-log.ts';
import { asArguments, type Settings } from './settings.ts';

/** One run of a PostgreSQL server, from its start to its end. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves with how it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /**
   * Ends it: waits for clients first, then ends their sessions, then does without a checkpoint. Nothing that was
   * committed is lost either way.
   */
  stop(): Promise<void>;
}

export interface ServerOptions {
  binaries: Binaries;
  account: Account | undefined;
  cluster: string;
  settings: Settings;
  log: Log;
  /** Ends a server that is still starting. */
  signal: AbortSignal;
  /** Called as soon as there is a process to look after. */
  onPid: (pid: number) => void;
}

const POLL_MS = 10;
/** How long a server that has ended may still have processes that use its memory, milliseconds. */
const LEFTOVER_MS = 10_000;
/** The ways to end a server, and how long each has before the next, milliseconds. */
const SHUTDOWNS: [NodeJS.Signals, number][] = [
  ['SIGTERM', 3000], // smart: clients may finish
  ['SIGINT', 20_000], // fast: with a checkpoint
  ['SIGQUIT', 5000], // immediate: recovers at the next start
  ['SIGKILL', 5000],
];

/**
 * Starts a server on a cluster and waits until it accepts connections, a recovery included. What an earlier one has left
 * there has been dealt with ({@link endLeftover}).
 * @throws EmbeddedError with what PostgreSQL says
 */
export async function startPostmaster(options: ServerOptions): Promise<Postmaster> {
  const { binaries, account, cluster, settings, log, signal, onPid } = options;
  // Left by a crash; our lock and the pid file say that nobody listens there.
  for (const name of [socketName(settings), `${socketName(settings)}.lock`])
    rmSync(join(cluster, name), { force: true });
  const child = spawn(
    join(binaries.directory, 'bin', 'postgres'),
    ['-D', cluster, ...asArguments(settings)],
    {
      ...account,
      cwd: '/',
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Ctrl-C in a terminal reaches only us: we end it when all is written.
      detached: true,
    },
  );
  const ended = once(child, 'exit').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? 'unknown',
    (error: Error) => error.message,
  );
  let ready = false;
  let stopping = false;
  /** Why it does not start: what it says before it is ready, the errors apart. */
  const said: string[] = [];
  const reasons: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    const read = readServerLine(line);
    if (!ready) said.push(read?.message ?? line);
    if (!read) return;
    const { level, code, message } = read;
    if (!ready && level === 'error') reasons.push(message);
    const routine = !ready || (level === 'info' && (stopping || message === READY));
    log[routine ? 'debug' : level]({ from: 'postgres', code }, message);
  });
  child.unref();
  // A pipe from a child is a socket, although its type does not say so.
  (child.stderr as unknown as { unref(): void }).unref();
  if (child.pid === undefined)
    throw new EmbeddedError(`PostgreSQL cannot be started: ${await ended}`);
  onPid(child.pid);

  let over: number | string | undefined;
  void ended.then((how) => (over = how));
  const abort = () => {
    stopping = true;
    child.kill('SIGINT');
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    for (;;) {
      const file = readPidFile(cluster);
      if (file?.pid === child.pid && file.status === 'ready') break;
      if (over !== undefined) {
        const why = (reasons.length > 0 ? reasons : said).slice(-3).join('; ');
        throw new EmbeddedError(`PostgreSQL did not start (${over}): ${why || 'it says nothing'}`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
  ready = true;
  return {
    pid: child.pid,
    ended,
    async stop() {
      stopping = true;
      // What we wait for keeps this process alive.
      child.ref();
      for (const [name, ms] of SHUTDOWNS) {
        child.kill(name);
        await Promise.race([ended, sleep(ms, undefined, { ref: false })]);
        if (over !== undefined) return;
      }
    },
  };
}

const socketName = ({ port }: Settings): string => `.s.PGSQL.${port}`;

/**
 * Ends a server that an earlier process of ours has left on a cluster, and prepares the cluster for the next one. The
 * caller holds the lock of the data directory, so that no living process of ours owns it.
 * @throws EmbeddedError for a server that does not end
 */
export async function endLeftover(
  cluster: string,
  account: Account | undefined,
  log: Log,
): Promise<void> {
  const isLeft = () => {
    const file = readPidFile(cluster);
    return file && isRunning(file.pid) && isServerOf(cluster, file) ? file.pid : null;
  };
  const pid = isLeft();
  if (pid !== null)
    log.warn({ pid }, 'ending a PostgreSQL server that an earlier process has left');
  for (const [signal, ms] of SHUTDOWNS.slice(1)) {
    const deadline = performance.now() + ms;
    // Each time anew: by now the id may belong to somebody else.
    if (isLeft() !== null) send(pid ?? 0, signal);
    while (isLeft() !== null && performance.now() < deadline) await sleep(POLL_MS);
  }
  if (isLeft() !== null)
    throw new EmbeddedError(
      `A PostgreSQL server (process ${pid}) is running on ${cluster} and does not end. Stop it first.`,
    );
  if (readPidFile(cluster)) disown(cluster, account);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * A pid file of a crash may name a process that is somebody else's by now; PostgreSQL would not start. It takes its
 * parent's id for no obstacle, and still makes sure that no process uses the memory that the file names: so we write
 * our own instead of removing the file.
 */
function disown(cluster: string, account: Account | undefined): void {
  const path = join(cluster, PID_FILE);
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeOwned(path, [process.pid, ...rest].join('\n'), account);
}

/** Does what {@link startPostmaster} does, while the processes of a crashed server may still be on their way out. */
export async function startAfterCrash(options: ServerOptions): Promise<Postmaster> {
  const deadline = performance.now() + LEFTOVER_MS;
  for (;;)
    try {
      return await startPostmaster(options);
    } catch (error) {
      if (!/still in use/.test(String(error)) || performance.now() > deadline) throw error;
      await sleep(100);
    }
}
