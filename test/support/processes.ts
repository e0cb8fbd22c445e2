import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

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

export interface Usage {
  /** Processor time since the start, seconds. */
  cpuSeconds: number;
  /** Memory in use, of the largest process, MB. */
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
