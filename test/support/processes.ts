import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  /** One letter: T is stopped, Z is a zombie. */
  state: string;
}

/** All processes of the machine, from /proc (slim images have no `ps`) or else from `ps` (macOS). */
export function listProcesses(): Process[] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' });
    return stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent, state]) => ({
        pid: Number(pid),
        parent: Number(parent),
        state: state?.[0] ?? '',
      }));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // "pid (command) state parent …"; a command may contain spaces and parentheses.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [{ pid: Number(name), parent: Number(parent), state }];
      } catch {
        return []; // exited while we were reading
      }
    });
}

/** A process and its children. */
export function processAndChildren(pid: number): number[] {
  return [pid, ...listProcesses().flatMap((child) => (child.parent === pid ? [child.pid] : []))];
}

/** Signals processes, some of which may have exited. */
export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}
