/**
 * A PostgreSQL server for tests, on a machine with nothing but Node, as root or not: what the embedded database starts
 * (db/embedded), on a port of its own, and with the means to crash it.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { accountToRunAs, canEnter, type Account } from '#db/embedded/account.ts';
import { usableBinaries, type Binaries } from '#db/embedded/binaries.ts';
import { createCluster, passwordOf, writeAccess } from '#db/embedded/cluster.ts';
import { endLeftover, startAfterCrash, type Postmaster } from '#db/embedded/postmaster.ts';
import type { Log } from '#db/embedded/server-log.ts';
import { DURABLE, PASSING, settingsFor } from '#db/embedded/settings.ts';
import { startWatchdog, type Watchdog } from '#db/embedded/watchdog.ts';
import { freePort } from './port.ts';
import { listProcesses, signal } from './processes.ts';

export interface PostgresServer {
  /** Contains its cluster. */
  readonly directory: string;
  /**
   * `postgres://…` for a database of this server, by default `postgres`. Names consist of letters,
   * digits and `_`: drivers disagree on how to escape others in a URL.
   */
  url(database?: string): string;
  /** Creates a database, as a copy of `template` if given; nobody may be connected to that one. */
  createDatabase(name: string, template?: string): Promise<void>;
  /** Drops a database if it exists, and ends the connections to it. */
  dropDatabase(name: string): Promise<void>;
  /** A crash: SIGKILL to every process of the server. Resolves when the last one is gone. */
  kill(): Promise<void>;
  /**
   * Starts the server again on the same port; resolves when it accepts connections. After `kill` it recovers its data;
   * after `stop` it begins with an empty cluster.
   */
  start(): Promise<void>;
  /** Ends the server as an operator would (clients get 57P01) and removes its directory. */
  stop(): Promise<void>;
}

/** Many test servers, each with its pool, share one. */
const CONNECTIONS = 300;
const PREFIX = 'mesh-registry-postgres-';
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Starts a server that shares nothing with other servers, test workers or checkouts.
 *
 * Call `stop()` when done. If this process ends without it, even by SIGKILL, the server ends too and
 * its directory is removed. The server does not keep this process alive.
 *
 * @param options.fsync true to flush as a production server does. By default that is left to the
 *   operating system: committed rows survive the death of any process (`synchronous_commit` is always
 *   on), but not a power cut.
 */
export async function startPostgres(options: { fsync?: boolean } = {}): Promise<PostgresServer> {
  const account = accountToRunAs([]);
  // Of the disk a copy of the programs may be needed, where those in node_modules cannot be used.
  const home = mkdtempSync(join(readableTmpdir(account), PREFIX));
  const inMemory = options.fsync ? undefined : memoryDirectory(account);
  const directory = inMemory === undefined ? home : mkdtempSync(join(inMemory, PREFIX));
  const cluster = join(directory, 'postgres');
  const settings = {
    ...settingsFor(CONNECTIONS),
    ...(options.fsync ? DURABLE : PASSING),
    shared_buffers: '64MB',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: await freePort(),
  };
  let password = '';
  let watchdog: Watchdog | undefined;
  let postmaster: Postmaster | undefined;
  let running = false;

  const url = (database = 'postgres'): string => {
    if (!/^\w+$/.test(database)) throw new Error(`Not a plain database name: ${database}`);
    return `postgres://postgres:${password}@127.0.0.1:${settings.port}/${database}`;
  };

  function initialise(binaries: Binaries): void {
    createCluster({ binaries, account, cluster, settings });
    password = passwordOf(cluster);
    writeAccess(cluster, account);
  }

  async function start(): Promise<void> {
    if (running) return;
    for (const path of [home, directory]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o711);
    }
    const { watch } = (watchdog ??= await startWatchdog(cluster, [home, directory]));
    const binaries = usableBinaries(account, home);
    if (!existsSync(cluster)) initialise(binaries);
    await endLeftover(cluster, account, QUIET);
    postmaster = await startAfterCrash({
      binaries,
      account,
      cluster,
      settings,
      log: QUIET,
      signal: new AbortController().signal,
      onPid: watch,
    });
    running = true;
    void postmaster.ended.then(() => (running = false));
  }

  async function kill(): Promise<void> {
    if (!postmaster || !running) return;
    // A stopped postmaster starts no new children while we list them. Each child leads its own process
    // group, so one signal to a group would not reach them.
    const { pid, ended } = postmaster;
    signal([pid], 'SIGSTOP');
    await until(() => !running || listProcesses().find((p) => p.pid === pid)?.state === 'T');
    const victims = listProcesses().filter((p) => p.pid === pid || p.parent === pid);
    const pids = new Set(victims.map((victim) => victim.pid));
    signal([...pids], 'SIGKILL');
    await ended;
    // A zombie counts as gone: in a container nobody may ever collect it.
    await until(() => !listProcesses().some((p) => pids.has(p.pid) && p.state !== 'Z'));
  }

  async function stop(): Promise<void> {
    if (postmaster && running) {
      signal([postmaster.pid], 'SIGINT');
      await postmaster.stop();
    }
    await watchdog?.stop();
    watchdog = undefined;
  }

  async function asAdmin(statement: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(url(), { max: 1, onnotice: () => undefined });
    try {
      await statement(sql);
    } finally {
      await sql.end();
    }
  }

  try {
    await start();
  } catch (error) {
    await stop();
    throw new Error(
      'No PostgreSQL for the tests. Set TEST_DATABASE_URL to test against a PostgreSQL of your own instead.',
      { cause: error },
    );
  }

  return {
    directory,
    url,
    createDatabase: (name, template = 'template1') =>
      asAdmin((sql) => sql`create database ${sql(name)} template ${sql(template)}`),
    dropDatabase: (name) =>
      asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`),
    kill,
    start,
    stop,
  };
}

/** What a run of all tests needs at most, with room to spare, bytes. */
const MEMORY_NEEDED = 4 * 1024 ** 3;

/**
 * A file system in memory with enough room, if this machine has one: there a copy of a database takes 20 ms of
 * processor time, on disk ten times as much. Programs may not be allowed to run from it.
 */
function memoryDirectory(account: Account | undefined): string | undefined {
  const directory = '/dev/shm';
  if (!existsSync(directory) || (account && !canEnter(account, directory))) return undefined;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < MEMORY_NEEDED ? undefined : directory;
}

/** The first directory for temporary files that the account can enter; root's own may be closed. */
function readableTmpdir(account: Account | undefined): string {
  const found = [tmpdir(), '/tmp', '/var/tmp'].find(
    (directory) => !account || canEnter(account, directory),
  );
  if (!found) throw new Error(`No temporary directory that the account of PostgreSQL can enter.`);
  return found;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}
