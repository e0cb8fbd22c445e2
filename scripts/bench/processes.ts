import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { processAndChildren } from '../../test/support/processes.ts';

export interface ServerProcess {
  /** What the pattern captured. */
  printed: string;
  pid: number;
  stop: () => Promise<void>;
}

/** How long a server may take to start, however many nodes it loads. */
const START_TIMEOUT_MS = 120_000;

/** They end with this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));

/**
 * Starts a Node program and resolves as soon as it has printed a line that matches the pattern, and as
 * many lines that match `ready` as it has processes.
 */
export async function startServer(
  args: string[],
  pattern: RegExp,
  options: { env?: Record<string, string>; ready?: { pattern: RegExp; times: number } } = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    // A directory without an .env.
    cwd: tmpdir(),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed: string | undefined;
  let missing = options.ready?.times ?? 0;
  await new Promise<void>((resolve, reject) => {
    const timeout = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The server did not start within ${START_TIMEOUT_MS / 1000} s.`));
    }, START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timeout);
      reject(new Error(`The server exited with ${code}.`));
    });
    createInterface(child.stdout).on('line', (line) => {
      printed ??= pattern.exec(line)?.[1];
      if (options.ready?.pattern.test(line)) missing--;
      if (printed === undefined || missing > 0) return;
      clearTimeout(timeout);
      resolve();
    });
  });
  return {
    printed: printed ?? '',
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export interface Usage {
  /** Processor time since the start, seconds. */
  cpuSeconds: number;
  /** Memory in use, of the largest process. */
  residentMb: number;
}

/**
 * Of a process and its children that run Node, with all their threads: the embedded database is beside it, as that of a
 * URL is. Null where there is no /proc.
 */
export function usageOf(pid: number): Usage | null {
  if (process.platform !== 'linux') return null;
  let cpuTicks = 0;
  let residentKb = 0;
  for (const each of processAndChildren(pid)) {
    if (readlinkSync(`/proc/${each}/exe`) !== realpathSync(process.execPath)) continue;
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
    // After "pid (command)": state is field 3; user and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    cpuTicks += Number(fields[11]) + Number(fields[12]);
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    residentKb = Math.max(residentKb, Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  // Linux reports 100 ticks a second to programs, whatever its own clock.
  return { cpuSeconds: cpuTicks / 100, residentMb: residentKb / 1000 };
}
