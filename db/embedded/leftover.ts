import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { processStat } from '../connection/process-stat.ts';
import { ENVIRONMENT } from './binaries.ts';

/** The server that runs on a cluster, told from others that happen to have the same process id. */

export const PID_FILE = 'postmaster.pid';

/** What `postmaster.pid` says about the server that wrote it. */
export interface PidFile {
  pid: number;
  /** When it started, seconds since 1970. */
  startedAt: number;
  port: number;
  /** Empty: it listens on a socket only. */
  address: string;
  /** `ready`, `starting`, `stopping`. */
  status: string;
}

export function readPidFile(cluster: string): PidFile | null {
  try {
    const lines = readFileSync(join(cluster, PID_FILE), 'utf8').split('\n');
    const [pid, , startedAt, port, , address = '', , status = ''] = lines;
    if (!Number.isInteger(Number(pid)) || Number(pid) <= 0) return null;
    return {
      pid: Number(pid),
      startedAt: Number(startedAt),
      port: Number(port),
      address: address.trim(),
      status: status.trim(),
    };
  } catch {
    return null;
  }
}

/** So much may the two differ: the clock may have been set since. */
const START_TOLERANCE_S = 60;

/** Whether the process of a pid file is a server on this cluster: its program, directory, user and start say so. */
export function isServerOf(cluster: string, { pid, startedAt }: PidFile): boolean {
  const found = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  return (
    found !== null &&
    basename(found.program) === 'postgres' &&
    found.named(cluster) &&
    found.uid === statSync(cluster).uid &&
    Math.abs(found.started - startedAt) <= START_TOLERANCE_S
  );
}

interface Found {
  program: string;
  /** Whether its arguments name a directory. Those of the first process do; the others rewrite theirs. */
  named: (directory: string) => boolean;
  uid: number;
  /** Seconds since 1970. */
  started: number;
}

/** The kernel counts time in these; their number is the same on every Linux that Node.js runs on. */
const TICKS_PER_S = 100;

/** Root may not see more than this of another account's process, in a container for example. */
function fromProc(pid: number): Found | null {
  try {
    const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1];
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return {
      program,
      named: (directory) => args.includes(directory),
      uid: statSync(`/proc/${pid}`).uid,
      started: Number(boot) + Number(processStat(pid)?.started) / TICKS_PER_S,
    };
  } catch {
    return null;
  }
}

function fromPs(pid: number): Found | null {
  try {
    const ps = (column: string) =>
      execFileSync('ps', ['-p', String(pid), '-o', `${column}=`], {
        encoding: 'utf8',
        env: ENVIRONMENT,
      }).trim();
    const command = ps('command');
    return {
      program: command.split(' ')[0] ?? '',
      named: (directory) => command.includes(directory),
      uid: Number(ps('uid')),
      started: Date.parse(ps('lstart')) / 1000,
    };
  } catch {
    return null;
  }
}
