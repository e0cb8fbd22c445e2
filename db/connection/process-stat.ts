import { readFileSync } from 'node:fs';

/** Other processes of this machine. */

const DEAD_STATES = ['Z', 'X', 'x'];

/**
 * Whether a process runs, whoever it belongs to. A zombie, which ended but whose parent has not collected it, has
 * closed its files and counts as dead.
 */
export function isRunning(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const stat = processStat(pid);
  return stat === null || !DEAD_STATES.includes(stat.state);
}

/** Reads /proc/<pid>/stat; null where the platform has none. `started` is in ticks since the machine started. */
export function processStat(pid: number): { state: string; started: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2, the program's name, may contain spaces and brackets: count from its closing bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return null;
  }
}
