import { realpathSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DirectoryInUseError, lockDirectory, WAIT_MS } from '../connection/lock.ts';
import { keepPrivate } from '../connection/private-directory.ts';
import { addressFor, isAnswering, urlOf } from './address.ts';
import { usableBinaries } from './binaries.ts';
import { createCluster, requireSameMajor, writeAccess } from './cluster.ts';
import { DiskSpace } from './disk-space.ts';
import { isServerOf, readPidFile } from './leftover.ts';
import { existingCluster, preparePlace, refuseOldRelease, requireCluster } from './place.ts';
import { endLeftover, startAfterCrash } from './postmaster.ts';
import type { Log } from './server-log.ts';
import { DURABLE, PASSING, settingsFor } from './settings.ts';
import { Supervisor } from './supervisor.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export { EmbeddedError } from '../connection/errors.ts';
export { beginRestore } from './place.ts';
export type { Log } from './server-log.ts';

/**
 * The embedded database: a PostgreSQL server of our own in the data directory, a child of the process that holds the
 * directory's lock. It ends with that process, and when it ends by itself it is started again.
 */
export interface Embedded {
  /** Written as DATABASE_URL is. */
  readonly url: string;
  readonly space: DiskSpace;
  /** How often it has ended by itself and was started again; null where another process owns it. */
  restarts(): number | null;
  /** Call after all connections have been closed. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /** How many all processes of the service open together. */
  connections: number;
  /** Nothing is kept: no waiting for the disk, and the directory is removed at the end, however we end. */
  passing?: boolean;
  /** A database of release 0.1 is no reason to refuse: a backup of it is restored beside it, and it stays as it is. */
  besideOldRelease?: boolean;
  /** No database is created. */
  mustExist?: boolean;
  /** How long to wait for another process to give up the directory, milliseconds. */
  waitMs?: number;
}

/** Commands beside the service take these, and whoever looks into the database. */
const SPARE_CONNECTIONS = 20;

/**
 * Starts the embedded database, and creates it if there is none.
 * @throws DirectoryInUseError if another process has it; EmbeddedError if it cannot run, saying what to change
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, log, passing = false, waitMs = WAIT_MS } = options;
  // A typing mistake must not create a directory.
  if (options.mustExist) requireCluster(dataDir);
  await refuseForeignServer(dataDir, waitMs);
  // On a disk without a byte, not even the lock can be written before the reserve is given up.
  const existing = existingCluster(dataDir);
  if (existing !== null && !passing)
    await new DiskSpace(existing, { account: undefined }, log).check();
  const lock = await lockDirectory(dataDir, { waitMs });
  let watchdog: Watchdog | undefined;
  let supervisor: Supervisor | undefined;
  try {
    if (!options.besideOldRelease) refuseOldRelease(dataDir);
    const { cluster, account, home } = preparePlace(dataDir);
    const directory = realpathSync(dataDir);
    const isElsewhere = home !== directory;
    const isStranger = account !== undefined && account.uid !== statSync(directory).uid;
    keepPrivate(directory, { passable: isStranger && !isElsewhere }, log);
    if (isElsewhere)
      log.info(
        { directory: home },
        'the database is outside DATA_DIR, because PostgreSQL does not run as root and no other account can enter DATA_DIR',
      );
    const dog = (watchdog = await startWatchdog(
      cluster,
      passing ? [dataDir, ...(isElsewhere ? [home] : [])] : [],
    ));
    const binaries = usableBinaries(account, home);
    const settings = {
      ...settingsFor(options.connections + SPARE_CONNECTIONS),
      ...(passing ? PASSING : DURABLE),
      ...(await addressFor(cluster)),
    };
    if (existingCluster(dataDir) === null) createCluster({ binaries, account, cluster, settings });
    else requireSameMajor(cluster, binaries);
    writeAccess(cluster, account);
    const space = new DiskSpace(cluster, passing ? null : { account }, log);
    const running = (supervisor = await Supervisor.run(async (signal) => {
      // It is asked before each restart, too: meanwhile another container may have taken the directory.
      await refuseForeignServer(dataDir, 0);
      // What is left of a full disk's reserve is needed for the recovery.
      await space.check();
      await endLeftover(cluster, account, log);
      return startAfterCrash({
        binaries,
        account,
        cluster,
        settings,
        log,
        signal,
        onPid: dog.watch,
      });
    }, log));
    const url = urlOf(cluster);
    space.watch();
    return {
      url,
      space,
      restarts: () => running.restarts,
      async stop() {
        await space.stop();
        await running.stop();
        lock.release();
        await dog.stop();
      },
    };
  } catch (error) {
    await supervisor?.stop();
    lock.release();
    await watchdog?.stop();
    throw error;
  }
}

/**
 * In another container on the same directory, the ids in its files mean other processes or none: the lock and the pid
 * file would look abandoned. The socket does not lie.
 * @throws DirectoryInUseError if a server answers there that is no process of ours to end
 */
async function refuseForeignServer(dataDir: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const cluster = existingCluster(dataDir);
    const file = cluster === null ? null : readPidFile(cluster);
    if (cluster === null || !(await isAnswering(cluster))) return;
    if (file && isServerOf(cluster, file)) return;
    if (performance.now() > deadline) throw new DirectoryInUseError(dataDir, 0);
    await sleep(50);
  }
}

/**
 * The embedded database that another process of this machine runs.
 * @throws EmbeddedError if none does
 */
export function joinEmbedded(dataDir: string, log: Log): Embedded {
  const cluster = existingCluster(dataDir) ?? dataDir;
  const url = urlOf(cluster);
  const space = new DiskSpace(cluster, null, log);
  space.watch();
  return { url, space, restarts: () => null, stop: () => space.stop() };
}

/** Joins the service if it runs, else starts the database for the time of a command. */
export async function startOrJoinEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  try {
    return await startEmbedded({ ...options, waitMs: 0 });
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    return joinEmbedded(options.dataDir, options.log);
  }
}
