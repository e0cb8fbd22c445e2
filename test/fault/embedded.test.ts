import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, openEmbedded } from '#db/client.ts';
import { Pool } from '#db/connection/pool.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  backendsOf,
  postmasterOf,
  processesIn,
  untilGone,
  watchdogsOf,
} from '../support/embedded.ts';
import { signal } from '../support/processes.ts';
import {
  endAllServers,
  runCommand,
  runReviewer,
  startServerProcess,
  type ServerProcess,
} from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { expectNothingHalf, expectNothingLost, readAllAndClose } from './contents.ts';
import { Load } from './load.ts';
import { getJson, post } from './support.ts';

/** The database that the service runs itself: what becomes of it, and of requests, when its processes fail. */

const linux = process.platform === 'linux';
/** Process ids of its own, as a container has. */
const UNSHARE = ['--pid', '--ipc', '--fork', '--mount-proc'];
const WITHOUT_RIGHTS = ['--bounding-set', '-sys_ptrace', '--inh-caps', '-all'];
const root = process.geteuid?.() === 0;
const BUILD = join(import.meta.dirname, '..', '..', 'build');

interface Ready {
  ok: boolean;
  database: 'up' | 'down';
  degraded: boolean;
  storage: 'ok' | 'full';
}

const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

/** What a client may be told while the database is away. */
const expectOnlyRefusals = (load: Load) =>
  expect([...load.statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual(
    [],
  );

async function query(dataDir: string, statement: string): Promise<Record<string, unknown>[]> {
  const embedded = await openEmbedded({ dataDir }, { ownership: 'join' });
  const pool = new Pool(embedded.url, { max: 1 });
  try {
    return await pool.unsafe<Record<string, unknown>>(statement);
  } finally {
    await pool.close();
    await embedded.stop();
  }
}

afterAll(endAllServers);

describe.skipIf(!linux)('the embedded database', () => {
  const directory = temporaryDirectory();
  const cluster = join(directory.path, 'postgres');
  let server: ServerProcess;
  let load: Load;
  beforeAll(async () => {
    server = await startServerProcess({ DATA_DIR: directory.path, SECRET_OF_OURS: 'sentinel-7' });
    load = new Load(() => server.url);
  });
  afterAll(async () => {
    endAllServers();
    await untilGone(cluster);
    directory.remove();
  });

  /** Goes on with the load until writes are acknowledged again, and then stops it. */
  async function untilWritten(): Promise<void> {
    const before = load.count;
    await until('writes are acknowledged again', () => load.count > before + 20);
    await load.stop();
  }

  async function expectAllThere(): Promise<void> {
    const opened = await openDatabase(
      { databaseUrl: undefined, dataDir: directory.path },
      {
        ownership: 'join',
      },
    );
    const contents = await readAllAndClose(opened);
    expectNothingLost(contents, load);
    expectNothingHalf(contents);
  }

  it('waits for the disk with every commit, on the connections of the service', async () => {
    const [settings] = await query(
      directory.path,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
        current_setting('synchronous_commit') as synchronous, current_setting('data_checksums') as checksums,
        current_setting('ssl') as ssl, current_setting('listen_addresses') as addresses,
        (select datcollate from pg_database where datname = current_database()) as collation,
        (select rolsuper from pg_roles where rolname = current_user) as super`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      pages: 'on',
      synchronous: 'on',
      checksums: 'on',
      ssl: 'off',
      addresses: '',
      collation: 'C',
      super: false,
    });
    // Those that nobody has changed for a session of the service.
    const changed = await query(
      directory.path,
      `select count(*)::int as n from pg_db_role_setting where setconfig::text ~ 'fsync|synchronous|pages'`,
    );
    expect(changed).toEqual([{ n: 0 }]);
    const syncs = async () => {
      await query(directory.path, 'select pg_stat_force_next_flush()');
      const [row] = await query(
        directory.path,
        `select coalesce(sum(fsyncs), 0)::int as n from pg_stat_io where object = 'wal'`,
      );
      return Number(row?.['n']);
    };
    const before = await syncs();
    let n = 0;
    await until('the flushes of the pings are counted', async () => {
      const ping = { nodeId: `node_sync_${n++}`, lat: 1, lng: 2 };
      expect((await post(server.url, '/api/mesh/ping', ping)).status).toBe(201);
      return (await syncs()) > before;
    });
  });

  it('is behind a door that only its account can open, and knows none of our secrets', () => {
    expect(statSync(cluster).mode & 0o077).toBe(0);
    const postmaster = postmasterOf(directory.path);
    const environment = readFileSync(`/proc/${postmaster}/environ`, 'latin1');
    expect(environment).not.toContain('sentinel-7');
    expect(environment.split('\0').map((entry) => entry.replace(/=.*/s, ''))).toEqual(
      expect.not.arrayContaining(['HOME', 'PGOPTIONS', 'DATA_DIR']),
    );
    const rules = readFileSync(join(cluster, 'pg_hba.conf'), 'utf8');
    expect(rules).not.toMatch(/\btrust\b/);
  });

  it('writes neither statements nor values into the log', async () => {
    for (const statement of [
      `select 'sentinel-value'::int`,
      `select 1/0 as "sentinel-column"`,
      `select * from "sentinel-table"`,
    ])
      await expect(query(directory.path, statement)).rejects.toThrow();
    await expect(
      query(directory.path, `insert into name_claims select 'sentinel', null, now()`),
    ).rejects.toThrow();
    expect(server.output()).not.toContain('sentinel');
  });

  it.each([
    ['its first process is killed', (pid: number) => signal([pid], 'SIGKILL')],
    [
      'one of its processes is killed',
      (pid: number) => signal(backendsOf(pid).slice(0, 1), 'SIGKILL'),
    ],
  ])('is there again when %s: nothing acknowledged is lost', async (_, kill) => {
    const restarts = await metric(server.url, 'mesh_database_restarts');
    load.start();
    await until('every client has had answers', () => load.warm);
    const postmaster = postmasterOf(directory.path);
    kill(postmaster);
    // Reads go on from memory, whatever the database does.
    expect((await getJson<Mesh>(server.url, '/api/mesh')).peers.length).toBeGreaterThan(10);
    await untilWritten();
    expectOnlyRefusals(load);
    await expectAllThere();
    if (postmasterOf(directory.path) !== postmaster) {
      expect(await metric(server.url, 'mesh_database_restarts')).toBe(restarts + 1);
      expect(server.output()).toContain('PostgreSQL has ended by itself: it is started again');
    } else expect(server.output()).toContain('was terminated by signal 9');
    await until('it is ready', async () => {
      const ready = await getJson<Ready>(server.url, '/readyz');
      return ready.database === 'up' && !ready.degraded;
    });
  });

  it('answers 503 while the database does not react for ten seconds, and goes on by itself', async () => {
    load.start();
    await until('every client has had answers', () => load.warm);
    const stopped = processesIn(cluster);
    signal(stopped, 'SIGSTOP');
    const refused = () => load.statuses.get(503) ?? 0;
    const before = refused();
    await sleep(10_000);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await getJson<Ready>(server.url, '/readyz')).toMatchObject({
      ok: true,
      database: 'down',
    });
    expect((await getJson<Mesh>(server.url, '/api/mesh')).peers.length).toBeGreaterThan(10);
    expect(refused()).toBeGreaterThan(before);
    signal(stopped, 'SIGCONT');
    await untilWritten();
    expectOnlyRefusals(load);
    await expectAllThere();
  });

  it('ends within five seconds when the service is killed, and the next start has everything', async () => {
    load.start();
    await until('every client has had answers', () => load.warm);
    await server.end('SIGKILL');
    const endedAt = performance.now();
    await untilGone(cluster);
    console.log(`no process left after ${Math.round(performance.now() - endedAt)} ms`);
    await load.stop();
    server = await startServerProcess({ DATA_DIR: directory.path });
    await expectAllThere();
  });

  it('that nothing has ended is ended by the next start', async () => {
    const postmaster = postmasterOf(directory.path);
    signal(watchdogsOf(cluster), 'SIGKILL');
    await server.end('SIGKILL');
    await sleep(500);
    expect(postmasterOf(directory.path)).toBe(postmaster);
    server = await startServerProcess({ DATA_DIR: directory.path });
    expect(server.output()).toContain(
      'ending a PostgreSQL server that an earlier process has left',
    );
    expect(postmasterOf(directory.path)).not.toBe(postmaster);
    await expectAllThere();
  });

  it.skipIf(!canDropRights())(
    'is recognised by root without the right to look into other processes, as in a container',
    () => {
      const script = `
      import { isServerOf, readPidFile } from '#db/embedded/leftover.ts';
      const cluster = ${JSON.stringify(cluster)};
      console.log(isServerOf(cluster, readPidFile(cluster)));`;
      const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', script];
      const { stdout, stderr } = spawnSync('setpriv', [...WITHOUT_RIGHTS, ...node], {
        cwd: join(BUILD, '..'),
        encoding: 'utf8',
      });
      expect(stdout, stderr).toBe('true\n');
    },
  );

  it('ends with the service, in good order', async () => {
    expect(await server.end('SIGTERM')).toBe(0);
    expect(processesIn(cluster)).toEqual([]);
    expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
    expect(readFileSync(join(directory.path, 'postgres', 'PG_VERSION'), 'utf8').trim()).toBe('18');
    // Nothing has to be recovered: the log of a start says so.
    server = await startServerProcess({ DATA_DIR: directory.path, LOG_LEVEL: 'debug' });
    expect(server.output()).toContain('database system was shut down at');
    expect(server.output()).not.toContain('not properly shut down');
  });

  it('gives a backup to a command, and lets reviewers be listed, while the service runs', async () => {
    const env = { DATA_DIR: directory.path };
    const made = await runCommand('backup', [join(directory.path, 'now.gz')], env);
    expect(made, made.output).toMatchObject({ code: 0 });
    expect(await runReviewer(['list'], env)).toMatchObject({ code: 0 });
  });

  it.skipIf(!canUnshare())(
    'is not started twice from another container, which sees none of its processes',
    async () => {
      const env = { DATA_DIR: directory.path };
      const inContainer = (program: string, ...args: string[]) =>
        spawnSync('unshare', [...UNSHARE, process.execPath, join(BUILD, program), ...args], {
          env: { NODE_ENV: 'test', PATH: process.env['PATH'], PORT: '0', ...env },
          cwd: directory.path,
          encoding: 'utf8',
        });
      const postmaster = postmasterOf(directory.path);
      const second = inContainer('main.js');
      expect(second.status).toBe(1);
      expect(second.stderr).toContain('a process that cannot be seen from here');
      const made = inContainer('backup.js', join(directory.path, 'contained.gz'));
      expect(made.stdout).toMatch(/^Backed up/);
      expect(postmasterOf(directory.path)).toBe(postmaster);
      const ping = { nodeId: 'node_after', lat: 1, lng: 2 };
      expect((await post(server.url, '/api/mesh/ping', ping)).status).toBe(201);
    },
  );

  it.skipIf(!hasStrace())('is synced before the answer is sent', async () => {
    const trace = join(directory.path, 'trace');
    const pids = processesIn(cluster);
    const strace = spawn(
      'strace',
      [
        ...['-f', '-e', 'trace=fdatasync,fsync,sendto,send', '-ttt', '-o', trace],
        ...pids.flatMap((pid) => ['-p', String(pid)]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    strace.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const attached = () => said.match(/attached/g)?.length ?? 0;
    await until('it is attached to each process', () => attached() >= pids.length);
    const ping = { nodeId: 'node_traced', lat: 1, lng: 2 };
    const askedAt = Date.now() / 1000;
    expect((await post(server.url, '/api/mesh/ping', ping)).status).toBe(201);
    const answeredAt = Date.now() / 1000;
    strace.kill('SIGINT');
    await new Promise((resolve) => strace.once('exit', resolve));
    const synced = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, at] = /^\d+ +([\d.]+) .*fdatasync\(/.exec(line) ?? [];
        return at === undefined ? [] : [Number(at)];
      });
    expect(synced.some((at) => at >= askedAt && at <= answeredAt)).toBe(true);
  });
});

function canUnshare(): boolean {
  const can = linux && spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
  if (!can) console.log('Skipped: another container, because no namespaces can be made here.');
  return can;
}

function canDropRights(): boolean {
  const can = root && spawnSync('setpriv', [...WITHOUT_RIGHTS, 'true']).status === 0;
  if (!can) console.log('Skipped: root with fewer rights, because it cannot be had here.');
  return can;
}

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('Skipped: strace is not here, or may not be used.');
    return false;
  }
}

describe.skipIf(!linux)('several processes on the embedded database', () => {
  afterEach(endAllServers);

  it('share it; the first one starts and ends it', async () => {
    const directory = temporaryDirectory();
    const cluster = join(directory.path, 'postgres');
    const env = { DATA_DIR: directory.path, WEB_CONCURRENCY: '2', LOG_LEVEL: 'info' };
    const server = await startServerProcess(env);
    await until('both are ready', () => server.output().split('"msg":"ready"').length === 3);
    const load = new Load(() => server.url);
    load.start();
    await until('every client has had answers', () => load.warm);
    const postmaster = postmasterOf(directory.path);
    signal([postmaster], 'SIGKILL');
    const before = load.count;
    await until('writes are acknowledged again', () => load.count > before + 50);
    await load.stop();
    expect(postmasterOf(directory.path)).not.toBe(postmaster);
    expectOnlyRefusals(load);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(processesIn(cluster)).toEqual([]);
    const opened = await openDatabase({ databaseUrl: undefined, dataDir: directory.path });
    expectNothingLost(await readAllAndClose(opened), load);

    const again = await startServerProcess(env);
    await again.end('SIGKILL');
    await untilGone(cluster);
    directory.remove();
  });
});
