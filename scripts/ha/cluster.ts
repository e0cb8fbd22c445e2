import { spawn, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountToRunAs, type Account } from '#db/embedded/account.ts';
import { freePort } from '../../test/support/port.ts';
import { listProcesses, processAndChildren, signal } from '../../test/support/processes.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { until } from '../../test/support/until.ts';
import { fail } from '../options.ts';

/** Settings of Patroni that the rounds compare. Seconds. */
export interface Settings {
  ttl: number;
  loop_wait: number;
  retry_timeout: number;
  primary_start_timeout: number;
  synchronous_mode: boolean;
}

interface Node {
  name: string;
  api: number;
  port: number;
  directory: string;
  patroni: ChildProcess;
}

const PASSWORD = 'only-on-this-machine';
const PATIENCE_MS = 120_000;

/** Three PostgreSQL servers under Patroni, one etcd, and HAProxy in front of whichever is the primary. */
export class HaCluster {
  readonly #children: ChildProcess[] = [];
  readonly #nodes: Node[] = [];
  readonly #programs = findPrograms();
  readonly #directory = temporaryDirectory();
  #proxyPort = 0;

  /** Of the primary, through HAProxy. */
  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#proxyPort}/postgres`;
  }

  async start(settings: Settings): Promise<void> {
    // PostgreSQL refuses to run as root. The distribution's own account has its directory.
    const account = accountToRunAs(['/var/lib/postgresql']);
    const etcd = await freePort();
    const peer = await freePort();
    this.#run('etcd', this.#programs.etcd, [
      ...['--name', 'one', '--data-dir', join(this.#directory.path, 'etcd'), '--logger', 'zap'],
      ...['--listen-client-urls', `http://127.0.0.1:${etcd}`],
      ...['--advertise-client-urls', `http://127.0.0.1:${etcd}`],
      ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-cluster', `one=http://127.0.0.1:${peer}`],
    ]);
    await until('etcd answers', () => answers(`http://127.0.0.1:${etcd}/health`), PATIENCE_MS);
    for (const name of ['a', 'b', 'c']) {
      const [api, port] = [await freePort(), await freePort()];
      const directory = join(this.#directory.path, name);
      mkdirSync(directory, { mode: 0o700 });
      const file = join(directory, 'patroni.json');
      const { bin } = this.#programs;
      const configuration = patroniOf({ name, api, port, directory }, etcd, settings, bin);
      // YAML contains JSON.
      writeFileSync(file, JSON.stringify(configuration, null, 2));
      if (account) for (const path of [directory, file]) chownSync(path, account.uid, account.gid);
      const patroni = this.#run(`patroni-${name}`, this.#programs.patroni, [file], account);
      this.#nodes.push({ name, api, port, directory, patroni });
      // The first becomes the primary, and the others copy it.
      if (name === 'a') await this.#waitForPrimary();
    }
    this.#proxyPort = await freePort();
    const file = join(this.#directory.path, 'haproxy.cfg');
    writeFileSync(file, haproxyOf(this.#proxyPort, this.#nodes));
    this.#run('haproxy', this.#programs.haproxy, ['-f', file, '-db']);
    await this.healthy();
  }

  /** Resolves when there is a primary and two standbys that follow it. */
  async healthy(): Promise<void> {
    await this.#waitForPrimary();
    await until(
      'all standbys follow',
      async () => {
        const states = await Promise.all(this.#nodes.map(stateOf));
        const leaders = states.filter(({ role = '' }) => /master|primary/.test(role));
        const standbys = states.filter(
          ({ role, state }) => role === 'replica' && state === 'running',
        );
        const timelines = new Set(states.map(({ timeline }) => timeline));
        return leaders.length === 1 && standbys.length === 2 && timelines.size === 1;
      },
      PATIENCE_MS,
    );
    await sleep(3000);
  }

  async configure(settings: Settings): Promise<void> {
    await this.#ask('/config', 'PATCH', settings);
    // Each Patroni reads it in its next loop; a synchronous standby is chosen after that.
    await sleep(15_000);
    await this.healthy();
  }

  /** SIGKILL to every process of the primary PostgreSQL; its Patroni keeps running. */
  async kill(): Promise<void> {
    signal(postgresOf(await this.#primary()), 'SIGKILL');
  }

  /** The same while the standbys are 2 s behind: the commits that they lack are lost. */
  async killAhead(): Promise<void> {
    const senders = postgresOf(await this.#primary()).filter((pid) =>
      /walsender/.test(textOf(`/proc/${pid}/cmdline`)),
    );
    signal(senders, 'SIGSTOP');
    await sleep(2000);
    await this.kill();
  }

  /** What an operator does before maintenance. */
  async switchOver(): Promise<void> {
    const { name } = await this.#primary();
    await this.#ask('/switchover', 'POST', { leader: name });
  }

  /** SIGSTOP to the primary and its Patroni, as when a machine hangs. @returns resumes them */
  async pause(): Promise<() => void> {
    const primary = await this.#primary();
    const pids = [...processAndChildren(primary.patroni.pid ?? 0), ...postgresOf(primary)];
    signal(pids, 'SIGSTOP');
    return () => signal(pids, 'SIGCONT');
  }

  async stop(): Promise<void> {
    // Patroni first: it stops its PostgreSQL.
    const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
    for (const { patroni } of this.#nodes) patroni.kill('SIGTERM');
    const haveEnded = () => this.#nodes.every(({ patroni }) => ended(patroni));
    await until('PostgreSQL stops', haveEnded, 30_000).catch(() => undefined);
    for (const node of this.#nodes) signal(postgresOf(node), 'SIGKILL');
    for (const child of this.#children) if (!ended(child)) child.kill('SIGKILL');
    this.#directory.remove();
  }

  async #primary(): Promise<Node> {
    for (const node of this.#nodes)
      if (await answers(`http://127.0.0.1:${node.api}/primary`)) return node;
    throw new Error('There is no primary.');
  }

  #waitForPrimary(): Promise<void> {
    const exists = () =>
      this.#primary().then(
        () => true,
        () => false,
      );
    return until('there is a primary', exists, PATIENCE_MS);
  }

  async #ask(path: string, method: string, body: object): Promise<void> {
    const { api } = await this.#primary();
    const answer = await fetch(`http://127.0.0.1:${api}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  #run(name: string, program: string, args: string[], account?: Account): ChildProcess {
    const log = openSync(join(this.#directory.path, `${name}.log`), 'a');
    const child = spawn(program, args, {
      ...account,
      cwd: this.#directory.path,
      env: { NODE_ENV: 'production', PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', log, log],
    });
    this.#children.push(child);
    return child;
  }
}

/** The programs of the distribution that the cluster consists of. Without one, the command ends with its package's name. */
function findPrograms() {
  // Debian keeps each version's programs of PostgreSQL in a directory of its own.
  const versions = '/usr/lib/postgresql';
  const newestFirst = existsSync(versions)
    ? readdirSync(versions).sort((a, b) => Number(b) - Number(a))
    : [];
  const directories = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/sbin',
    ...newestFirst.map((version) => join(versions, version, 'bin')),
  ];
  const missing: string[] = [];
  const find = (program: string, from: string) => {
    const found = directories.map((directory) => join(directory, program)).find(existsSync);
    if (found === undefined) missing.push(from);
    return found ?? '';
  };
  const programs = {
    patroni: find('patroni', 'patroni'),
    etcd: find('etcd', 'etcd-server'),
    haproxy: find('haproxy', 'haproxy'),
    /** The directory of `postgres` and `pg_ctl`. */
    bin: dirname(find('postgres', 'postgresql')),
  };
  if (missing.length === 0) return programs;
  return fail(
    `Missing on this machine: ${missing.join(', ')}. On Debian and Ubuntu: apt-get install ${missing.join(' ')}`,
  );
}

function patroniOf(
  { name, api, port, directory }: Omit<Node, 'patroni'>,
  etcd: number,
  settings: Settings,
  bin: string,
) {
  const account = (username: string) => ({ username, password: PASSWORD });
  return {
    scope: 'mesh',
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: { ...settings, postgresql: { use_pg_rewind: true, use_slots: true } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(directory, 'data'),
      bin_dir: bin,
      pgpass: join(directory, 'pgpass'),
      authentication: {
        superuser: account('postgres'),
        replication: account('replicator'),
        rewind: account('rewind'),
      },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 md5',
        'host replication replicator 127.0.0.1/32 md5',
      ],
      parameters: { unix_socket_directories: directory, shared_buffers: '64MB' },
    },
  };
}

/** A node is asked once a second whether it is the primary; when it no longer is, its connections are closed. */
const haproxyOf = (port: number, nodes: Node[]) => `
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 1 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.api}`).join('\n')}
`;

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** What its Patroni says of a node; nothing while it does not answer. */
async function stateOf({ api }: Node) {
  const signal = AbortSignal.timeout(2000);
  try {
    const answer = await fetch(`http://127.0.0.1:${api}/patroni`, { signal });
    return (await answer.json()) as { state?: string; role?: string; timeline?: number };
  } catch {
    return {};
  }
}

/** The postmaster and its children, if it runs; Patroni starts it apart from itself. */
function postgresOf({ directory }: Node): number[] {
  const [line] = textOf(join(directory, 'data', 'postmaster.pid')).split('\n');
  const postmaster = Number(line);
  const runs = listProcesses().some(({ pid }) => pid === postmaster);
  return runs ? processAndChildren(postmaster) : [];
}

/** Of a file that may be gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
