import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { processStat } from '../process-stat.ts';
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

/** A clock that was set since, for example. */
const START_TOLERANCE_S = 60;

/** Whether the process of a pid file is a server on this cluster: its program, directory, user and start say so. */
export function isServerOf(cluster: string, { pid, startedAt }: PidFile): boolean {
  const found = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  if (!found) return false;
  const { program, directory, uid, started } = found;
  const own = statSync(cluster);
  return (
    program === 'postgres' &&
    uid === own.uid &&
    Math.abs(started - startedAt) <= START_TOLERANCE_S &&
    (typeof directory === 'string'
      ? directory.includes(cluster)
      : directory.ino === own.ino && directory.dev === own.dev)
  );
}

interface Found {
  program: string;
  /** The working directory of a server is its cluster; else the command line, which names it. */
  directory: { ino: number; dev: number } | string;
  uid: number;
  /** Seconds since 1970. */
  started: number;
}

/** Of the kernel's count of time: the same on every Linux that Node.js runs on. */
const TICKS_PER_S = 100;

function fromProc(pid: number): Found | null {
  try {
    const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1];
    const { ino, dev } = statSync(`/proc/${pid}/cwd`);
    return {
      // A new build of the program leaves " (deleted)" behind the name of the old one.
      program: basename(readlinkSync(`/proc/${pid}/exe`)).split(' ')[0] ?? '',
      directory: { ino, dev },
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
      program: basename(command.split(' ')[0] ?? ''),
      directory: command,
      uid: Number(ps('uid')),
      started: Date.parse(ps('lstart')) / 1000,
    };
  } catch {
    return null;
  }
}
