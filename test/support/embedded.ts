import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readPidFile } from '#db/embedded/leftover.ts';
import { isRunning } from '#db/connection/process-stat.ts';
import { listProcesses } from './processes.ts';
import { until } from './until.ts';

/** The embedded database of a service, looked at from outside. */

/** The process ID of its server. @throws if none runs */
export function postmasterOf(dataDir: string): number {
  const file = readPidFile(join(dataDir, 'postgres'));
  if (!file || !isRunning(file.pid)) throw new Error(`No database runs in ${dataDir}.`);
  return file.pid;
}

/** Its processes that serve connections. */
export const backendsOf = (postmaster: number): number[] =>
  listProcesses().flatMap(({ pid, parent }) =>
    parent === postmaster && commandOf(pid).includes('mesh_registry') ? [pid] : [],
  );

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
};

/** The processes that end it when the service is gone. */
export const watchdogsOf = (cluster: string): number[] =>
  listProcesses().flatMap(({ pid }) => {
    const command = commandOf(pid);
    return command.includes('watchdog\0') && command.includes(cluster) ? [pid] : [];
  });

/** Every process whose working directory is the cluster. */
export const processesIn = (cluster: string): number[] =>
  listProcesses()
    .filter(({ state }) => state !== 'Z')
    .flatMap(({ pid }) => {
      try {
        return realpathSync(`/proc/${pid}/cwd`) === cluster ? [pid] : [];
      } catch {
        return [];
      }
    });

/** Waits until no process of the database is left. */
export const untilGone = (cluster: string): Promise<void> =>
  until('every process of the database is gone', () => processesIn(cluster).length === 0);
