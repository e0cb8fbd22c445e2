import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SLOW } from './slow.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The programs of the build, each as a process of its own. */

const BUILD = resolve(import.meta.dirname, '..', '..', 'build');
/** A start takes a second or two. */
const START_TIMEOUT_MS = 15_000 * SLOW;

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it listens, milliseconds. */
  readonly readyMs: number;
  /** Everything it wrote so far, on both streams. */
  output: () => string;
  /** Sends a signal and resolves with the exit code once the process is gone; null: a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Ended {
  code: number | null;
  output: string;
  ms: number;
}

const running = new Set<ChildProcess>();

/** Ends processes that a failed test left behind. */
export function endAllServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

let directory: string | undefined;

/**
 * Without an .env, and ours alone: another user's tests may have left files elsewhere. Programs that are started again
 * find in it what they have stored.
 */
function workingDirectory(): string {
  if (directory === undefined) {
    directory = temporaryDirectory().path;
    // Vitest ends its workers by a signal, so no exit handler runs: this one removes it when our end of the pipe closes.
    const remover = spawn('sh', ['-c', 'cat; rm -rf "$1"', 'sh', directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    remover.unref();
    (remover.stdin as Socket).unref();
  }
  return directory;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface SpawnOptions {
  /** The limit of file descriptors. */
  openFiles?: number;
  /** Arguments of Node. */
  nodeArgs?: readonly string[];
  /** Rights that new files do not get, octal. */
  umask?: string;
  /** Whom it runs as; only root can choose. */
  user?: number | undefined;
}

/** @param command a program of the build, or the path of another one, with its arguments */
export function spawnBuilt(
  [program, ...args]: [string, ...string[]],
  env: Record<string, string>,
  { openFiles, nodeArgs = [], umask, user }: SpawnOptions = {},
): { child: Child; output: () => string } {
  const command = [process.execPath, ...nodeArgs, resolve(BUILD, program), ...args];
  const setUp = [
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    ...(umask === undefined ? [] : [`umask ${umask}`]),
  ];
  const [file = '', ...rest] =
    setUp.length === 0
      ? command
      : ['sh', '-c', [...setUp, 'exec "$@"'].join(' && '), 'sh', ...command];
  const child: Child = spawn(file, rest, {
    cwd: workingDirectory(),
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

/**
 * Starts the built server, as `npm start` does, on a free port; resolves once it listens.
 * @param options.command of another server instead, which prints its URL
 * @param options.startMs how long it may take, milliseconds
 */
export async function startServerProcess(
  env: Record<string, string>,
  {
    command = ['main.js'],
    startMs = START_TIMEOUT_MS,
    ...options
  }: SpawnOptions & { command?: [string, ...string[]]; startMs?: number } = {},
): Promise<ServerProcess> {
  const startedAt = performance.now();
  const { child, output } = spawnBuilt(command, env, options);
  const timeout = setTimeout(() => child.kill('SIGKILL'), startMs);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /^(?: *Map +)?(http:\S+)\/$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    // Not 'exit': the reason may still be in the pipe.
    child.once('close', (code) => reject(new Error(`The server exited (${code}): ${output()}`)));
  });
  clearTimeout(timeout);
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      // Not 'exit': its last output, and that of its workers, is read by then.
      const closed = once(child, 'close') as Promise<[number | null]>;
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
  };
}

/** Runs a server that is expected to exit by itself. */
export const runServerToEnd = (env: Record<string, string>) => runToEnd(['main.js'], env);

/** Runs `npm run reviewer -- …`. */
export const runReviewer = (args: string[], env: Record<string, string>) =>
  runToEnd(['reviewer.js', ...args], env);

/** Runs `npm run backup`, `restore` or `registry-log`. */
export const runCommand = (
  command: 'backup' | 'restore' | 'registry-log',
  args: string[],
  env: Record<string, string>,
) => runToEnd([`${command}.js`, ...args], env);

async function runToEnd(
  command: [string, ...string[]],
  env: Record<string, string>,
): Promise<Ended> {
  const startedAt = performance.now();
  const { child, output } = spawnBuilt(command, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output(), ms: performance.now() - startedAt };
}
