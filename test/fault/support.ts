import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect } from 'vitest';
import type { Database } from '#db/client.ts';
import { computes, nameClaims, peers, registrationHistory, registrations } from '#db/schema.ts';

/** Real server processes, a load that remembers what was acknowledged, and a look into the database. */

const BUILD = join(import.meta.dirname, '..', '..', 'build');
/** For a machine in distress: what is waited for here takes a second or two. */
const PATIENCE_MS = 60_000;

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its welcome, milliseconds. */
  readonly readyMs: number;
  /** Everything it wrote so far, both streams. */
  output: () => string;
  /** Sends a signal and resolves with the exit code once the process is gone; null: a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Ended {
  code: number | null;
  output: string;
  ms: number;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test left behind. */
export function endAllServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** @param program of the build, with its arguments */
function spawnBuilt(
  [program, ...args]: [string, ...string[]],
  env: Record<string, string>,
): { child: Child; output: () => string } {
  const child: Child = spawn(process.execPath, [join(BUILD, program), ...args], {
    // A directory without an .env.
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

/** Starts the built server as `npm start` does; resolves when it has printed where it listens. */
export async function startProcess(env: Record<string, string>): Promise<ServerProcess> {
  const startedAt = performance.now();
  const { child, output } = spawnBuilt(['main.js'], env);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = /^ *Map +(http:\S+)\/$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    // Not 'exit': why it ended may still be on its way.
    child.once('close', (code) => reject(new Error(`The server ended (${code}): ${output()}`)));
  });
  const readyMs = performance.now() - startedAt;
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      // Not 'exit': what it wrote last is read by then, its workers' words too.
      const closed = once(child, 'close') as Promise<[number | null]>;
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
  };
}

/** Runs a server that is expected not to start. */
export const runToItsEnd = (env: Record<string, string>) => ended(['main.js'], env);

/** What `npm run reviewer -- …` does. */
export const runReviewer = (args: string[], env: Record<string, string>) =>
  ended(['reviewer.js', ...args], env);

async function ended(command: [string, ...string[]], env: Record<string, string>): Promise<Ended> {
  const startedAt = performance.now();
  const { child, output } = spawnBuilt(command, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output(), ms: performance.now() - startedAt };
}

export function freshDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mesh-registry-fault-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** An empty database, not migrated, on a server of PostgreSQL. */
export async function emptyDatabase(
  server: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `mesh_fault_${randomBytes(6).toString('hex')}`;
  const admin = async (run: (sql: postgres.Sql) => Promise<unknown>) => {
    const sql = postgres(server, { max: 1, onnotice: () => undefined });
    await run(sql).finally(() => sql.end());
  };
  await admin((sql) => sql`create database ${sql(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => admin((sql) => sql`drop database if exists ${sql(name)} with (force)`),
  };
}

/** Resolves when `condition` holds; fails with what it was waiting for. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`);
    await sleep(20);
  }
}

export const post = (url: string, path: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });

export async function getJson<Answer>(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(30_000) });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Answer;
}

/** Stops every process of a PostgreSQL server (SIGSTOP), and returns which. */
export function freezePostgres(directory: string): number[] {
  // Twice: while the first list was read the postmaster may have made another child. Now it makes none.
  signal(postgresProcesses(directory), 'SIGSTOP');
  const pids = postgresProcesses(directory);
  signal(pids, 'SIGSTOP');
  return pids;
}

/** The process ids of a PostgreSQL server: the postmaster and its children. */
export function postgresProcesses(directory: string): number[] {
  const [first = ''] = readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const postmaster = Number(first);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster;
      } catch {
        return false;
      }
    });
  return [postmaster, ...children];
}

/** To processes of which some may have ended. */
export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}

const COMPUTES_OF_A_HOST = 5;
const RANK = { pending_payment: 0, pending_review: 1, active: 2, rejected: 3 } as const;
type Status = keyof typeof RANK;

interface Acknowledged {
  /** By node: the number that the ping's label carried, and what the answer said of lastSeen. */
  pings: Map<string, { number: number; lastSeen: string }>;
  /** By host: the number that every compute of the announce carried. */
  announces: Map<string, number>;
  /** By registration id. */
  registrations: Map<string, { name: string; status: Status }>;
}

/**
 * Clients that write without a pause, each over its own nodes and names, and remember what was
 * acknowledged. A refusal or a broken connection promises nothing; the write may be there or not.
 */
export class Load {
  readonly acknowledged: Acknowledged = {
    pings: new Map(),
    announces: new Map(),
    registrations: new Map(),
  };
  /** Answers by status; 0: no answer. */
  readonly statuses = new Map<number, number>();
  /** Requests that broke off on connections that the server had taken, as an earlier answer on them shows. */
  readonly dropped: BrokenOff[] = [];
  #number = 0;
  /** Several loads may run on one database. */
  readonly #prefix = randomBytes(4).toString('hex');
  #names = 0;
  #stopped = false;
  #steps: number[] = [];
  #clients: Promise<unknown>[] = [];

  /** @param url asked before every request: a server that starts again has a new one */
  constructor(private readonly url: () => string) {}

  start(): void {
    this.#stopped = false;
    this.#steps = [];
    const client = async (step: (agent: Agent) => Promise<void>) => {
      // One connection per client, kept.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const at = this.#steps.push(0) - 1;
      while (!this.#stopped) {
        await step(agent);
        this.#steps[at]!++;
      }
      agent.destroy();
    };
    this.#clients = [
      ...Array.from({ length: 12 }, (_, n) => client((agent) => this.#ping(agent, `node_${n}`))),
      ...Array.from({ length: 6 }, (_, n) => client((agent) => this.#announce(agent, `host_${n}`))),
      ...Array.from({ length: 6 }, () => client((agent) => this.#register(agent))),
    ];
  }

  /** Resolves when every client has had its last answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  /** True once every client has had several answers, so that its connection is surely one that the server has taken. */
  get warm(): boolean {
    return this.#steps.every((steps) => steps >= 3);
  }

  /** How many writes were acknowledged. */
  get count(): number {
    return (this.statuses.get(200) ?? 0) + (this.statuses.get(201) ?? 0);
  }

  async #send<Answer>(agent: Agent, path: string, body: object): Promise<Answer | null> {
    let status = 0;
    let answer: Answer | null = null;
    try {
      const answered = await exchange(agent, `${this.url()}${path}`, JSON.stringify(body));
      ({ status } = answered);
      if (status < 300) answer = JSON.parse(answered.text) as Answer;
    } catch (error) {
      status = 0;
      const brokenOff = error as BrokenOff;
      if (brokenOff.reused) this.dropped.push(brokenOff);
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // What is away is not asked again at once.
    if (answer === null) await sleep(25);
    return answer;
  }

  async #ping(agent: Agent, nodeId: string): Promise<void> {
    const number = ++this.#number;
    const answer = await this.#send<{ peer: { lastSeen: string } }>(agent, '/api/mesh/ping', {
      nodeId,
      lat: 10,
      lng: 20,
      label: `n ${number}`,
    });
    if (answer) this.acknowledged.pings.set(nodeId, { number, lastSeen: answer.peer.lastSeen });
  }

  async #announce(agent: Agent, nodeId: string): Promise<void> {
    const number = ++this.#number;
    const answer = await this.#send<object>(agent, '/api/registry/computes', {
      nodeId,
      computes: Array.from({ length: COMPUTES_OF_A_HOST }, (_, n) => ({
        name: `compute-${n}`,
        image: `image:${number}`,
        replicas: number % 100_000,
        freeSlots: number,
      })),
    });
    if (answer) this.acknowledged.announces.set(nodeId, number);
  }

  async #register(agent: Agent): Promise<void> {
    const name = `${this.#prefix}-${++this.#names}`;
    const started = await this.#send<{ id: string }>(agent, '/api/registry/register', {
      action: 'start',
      name,
      nodeId: 'owner',
      kinds: ['node', 'compute'],
    });
    if (!started) return;
    const { registrations } = this.acknowledged;
    registrations.set(started.id, { name, status: 'pending_payment' });
    const confirmed = await this.#send<object>(agent, '/api/registry/register', {
      action: 'confirm',
      id: started.id,
    });
    if (confirmed) registrations.set(started.id, { name, status: 'pending_review' });
  }
}

interface BrokenOff {
  reused: boolean;
  code: string;
  /** When all of the request was with the system, as `performance.now()` counts; never: Infinity. */
  sentAt: number;
}

/** POSTs JSON; rejects with a {@link BrokenOff}. */
function exchange(
  agent: Agent,
  url: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(url, { method: 'POST', agent, headers, timeout: 30_000 });
    let sentAt = Infinity;
    sent.once('finish', () => (sentAt = performance.now()));
    const fail = (error: NodeJS.ErrnoException) => {
      const brokenOff: BrokenOff = {
        reused: sent.reusedSocket,
        code: error.code ?? error.message,
        sentAt,
      };
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(brokenOff);
    };
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', fail);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', fail);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}

export interface Contents {
  peers: (typeof peers.$inferSelect)[];
  computes: (typeof computes.$inferSelect)[];
  registrations: (typeof registrations.$inferSelect)[];
  claims: (typeof nameClaims.$inferSelect)[];
  history: (typeof registrationHistory.$inferSelect)[];
}

/**
 * The rows themselves, past the service, all as of one moment: PostgreSQL may still be committing what
 * a server sent before it was killed.
 */
export async function readAll({ db }: Database): Promise<Contents> {
  return db.transaction(
    async (tx) => ({
      peers: await tx.select().from(peers),
      computes: await tx.select().from(computes),
      registrations: await tx.select().from(registrations),
      claims: await tx.select().from(nameClaims),
      history: await tx
        .select()
        .from(registrationHistory)
        .orderBy(registrationHistory.registrationId, registrationHistory.rev),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

/** Everything that was acknowledged is there, or something newer. */
export function expectNothingLost(contents: Contents, { acknowledged }: Load): void {
  const byId = new Map(contents.peers.map((row) => [row.id, row]));
  for (const [node, { number, lastSeen }] of acknowledged.pings) {
    const row = byId.get(node);
    expect(row, `the peer ${node}`).toBeDefined();
    expect(row?.lastSeen.getTime(), `lastSeen of ${node}`).toBeGreaterThanOrEqual(
      Date.parse(lastSeen),
    );
    expect(Number(row?.label?.slice(2)), `label of ${node}`).toBeGreaterThanOrEqual(number);
  }
  for (const [host, number] of acknowledged.announces) {
    const rows = contents.computes.filter((row) => row.nodeId === host);
    expect(rows.length, `computes of ${host}`).toBe(COMPUTES_OF_A_HOST);
    for (const row of rows) expect(row.freeSlots, row.id).toBeGreaterThanOrEqual(number);
  }
  const found = new Map(contents.registrations.map((row) => [row.id, row]));
  for (const [id, acknowledgedOne] of acknowledged.registrations)
    expectNoLess(found.get(id), acknowledgedOne);
}

/** A registration is where its last acknowledged step left it, or further: the answer to the next step may have been cut off. */
export function expectNoLess(
  found: { name: string; status: Status } | undefined,
  { name, status }: { name: string; status: Status },
): void {
  expect(found?.name, `the registration of ${name}`).toBe(name);
  expect(RANK[found!.status], name).toBeGreaterThanOrEqual(RANK[status]);
}

/** What belongs together is there together. */
export function expectNothingHalf(contents: Contents): void {
  const hosts = new Map<string, Set<string>>();
  for (const { nodeId, freeSlots, image, lastSeen, firstSeen } of contents.computes) {
    const stamps = hosts.get(nodeId) ?? new Set();
    hosts.set(nodeId, stamps);
    stamps.add(`${freeSlots} ${image} ${lastSeen.toISOString()} ${firstSeen.toISOString()}`);
  }
  for (const [host, stamps] of hosts)
    expect([...stamps], `announces that the rows of ${host} come from`).toHaveLength(1);

  const claims = new Map(contents.claims.map((claim) => [claim.name, claim.registrationId]));
  const byId = new Map(contents.registrations.map((row) => [row.id, row]));
  for (const [name, id] of claims) {
    expect(byId.get(id)?.name, `the registration that holds ${name}`).toBe(name);
    expect(byId.get(id)?.status).not.toBe('rejected');
  }
  const history = new Map<string, Contents['history']>();
  for (const step of contents.history)
    history.set(step.registrationId, [...(history.get(step.registrationId) ?? []), step]);
  for (const row of contents.registrations) {
    if (row.status !== 'rejected') expect(claims.get(row.name), row.name).toBe(row.id);
    const steps = history.get(row.id) ?? [];
    let before: string | null = null;
    for (const step of steps) {
      expect(step.fromStatus, `history of ${row.name}`).toBe(before);
      before = step.toStatus;
    }
    expect(before, `the end of the history of ${row.name}`).toBe(row.status);
    history.delete(row.id);
  }
  expect([...history.keys()], 'history without a registration').toEqual([]);
}
