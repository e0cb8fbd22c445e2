import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { usageOf } from '../../test/support/processes.ts';
import type { Build } from './builds.ts';

/** The servers that are measured: the service, and the bare one that it is compared with. */

export interface Server {
  url: string;
  /** Processor time of all processes since the start, seconds; null where the system does not say. */
  cpuSeconds: () => number | null;
  stop: () => Promise<void>;
}

export interface Service extends Server {
  processes: number;
  /** From the start until every process answered, seconds. */
  startSeconds: number;
  residentMb: () => number | null;
}

/** How long a server may take to start, however many nodes it loads. */
const START_TIMEOUT_MS = 120_000;

/** They end with this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));

/**
 * Starts a Node program and resolves with its URL as soon as it has printed that, and as many lines that match `ready`
 * as it has processes.
 */
async function startServer(
  args: string[],
  env: Record<string, string>,
  ready: { url: RegExp; line: RegExp; times: number },
): Promise<{ url: string; pid: number; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, args, {
    // A directory without an .env.
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const url = await new Promise<string>((resolve, reject) => {
    let found: string | undefined;
    let missing = ready.times;
    child.once('exit', (code, signal) => {
      reject(new Error(`The server ended with ${signal ?? code} before it was ready.`));
    });
    createInterface(child.stdout).on('line', (line) => {
      found ??= ready.url.exec(line)?.[1];
      if (ready.line.test(line)) missing--;
      if (found !== undefined && missing <= 0) resolve(found);
    });
  });
  clearTimeout(timeout);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Starts the service, with nothing that would limit a load test. */
export async function startService(
  build: Build,
  env: Record<string, string>,
  { processes = 1, nodeArgs = [] }: { processes?: number; nodeArgs?: string[] } = {},
): Promise<Service> {
  const startedAt = performance.now();
  const { url, pid, stop } = await startServer(
    [...nodeArgs, ...build.args],
    {
      PORT: '0',
      RATE_LIMITS: 'off',
      // All nodes and viewers of a load test are one client.
      NEW_NODES_PER_HOUR: '1000000000',
      MAX_STREAMS: '100000',
      STREAMS_PER_CLIENT: '100000',
      // Each process logs when it is ready.
      LOG_LEVEL: 'info',
      WEB_CONCURRENCY: String(processes),
      ...env,
    },
    { url: /Map +(http:\/\/\S+)\//, line: /"msg":"ready"/, times: processes },
  );
  return {
    url,
    processes,
    startSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: () => usageOf(pid)?.cpuSeconds ?? null,
    residentMb: () => usageOf(pid)?.residentMb ?? null,
    stop,
  };
}

/** What a service used while something ran. Null where the system or the build does not say. */
export interface Used {
  /** Processor time of all processes per second. */
  cores: number | null;
  /** Of the largest process, at the end. */
  residentMb: number | null;
  /** The event-loop delay of the slowest process, ms. An idle one shows 10 to 11, by the resolution of the timer. */
  loopP99: number | null;
}

export async function whileMetered<Value>(
  service: Service,
  run: () => Promise<Value>,
): Promise<[Value, Used]> {
  // Reading the delay resets it.
  await loopP99(service);
  const since = performance.now();
  const before = service.cpuSeconds();
  const value = await run();
  const after = service.cpuSeconds();
  const seconds = (performance.now() - since) / 1000;
  const cores = before === null || after === null ? null : (after - before) / seconds;
  return [value, { cores, residentMb: service.residentMb(), loopP99: await loopP99(service) }];
}

/** A metric of each process; fewer where a build does not have it. New connections go to each process in turn. */
async function metricOf({ url, processes }: Service, name: string): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < processes; n++) {
    const { body } = await request(`${url}/metrics`, { headers: { connection: 'close' } });
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(await body.text())?.[1];
    if (value !== undefined) found.push(Number(value));
  }
  return found;
}

async function loopP99(service: Service): Promise<number | null> {
  const seconds = await metricOf(service, 'nodejs_eventloop_lag_p99_seconds');
  return seconds.length > 0 ? Math.max(...seconds) * 1000 : null;
}

/**
 * The memory that is in use after garbage collections, of all processes, MB: the lowest of several moments of a service
 * under load.
 */
export async function usedHeapMb(service: Service, seconds: number): Promise<number | null> {
  const until = performance.now() + seconds * 1000;
  let lowest = Infinity;
  while (performance.now() < until) {
    const heap = await metricOf(service, 'nodejs_heap_size_used_bytes');
    if (heap.length < service.processes) return null;
    lowest = Math.min(
      lowest,
      heap.reduce((sum, bytes) => sum + bytes),
    );
    await sleep(200);
  }
  return lowest / 1e6;
}

/** A heartbeat; the others of a load have other ids, labels and locations. */
export const FIRST_HEARTBEAT = {
  nodeId: 'node_0',
  lat: 1,
  lng: 1,
  label: 'node 0',
  class: 'M',
  region: 'EU',
  status: 'online',
};

/** Sends one heartbeat, and returns when the service says that it came. */
export async function ping(url: string, nodeId: string): Promise<string> {
  const { statusCode, body } = await request(`${url}/api/mesh/ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...FIRST_HEARTBEAT, nodeId }),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`A heartbeat was answered with ${statusCode}: ${answer}`);
  return (JSON.parse(answer) as { peer: { lastSeen: string } }).peer.lastSeen;
}

/** An answer of the service, for the bare server to repeat. */
export interface Recorded {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Base64. */
  body: string;
}

/** Differ from one connection to the next, or are node:http's own. */
const TRANSPORT_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** Sends one request and keeps the answer as it came over the wire, still compressed. */
export async function record(
  url: string,
  options: { method?: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<Recorded> {
  const { statusCode, headers, body } = await request(url, options);
  const kept = Object.entries(headers).filter(([name]) => !TRANSPORT_HEADERS.includes(name));
  return {
    status: statusCode,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await body.arrayBuffer()).toString('base64'),
  };
}

/** Starts a bare node:http server that answers every request with what was recorded. */
export async function startBaseline(recorded: Recorded, processes: number): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
  const file = join(directory, 'answer.json');
  writeFileSync(file, JSON.stringify(recorded));
  const program = join(import.meta.dirname, 'baseline.mjs');
  const { url, pid, stop } = await startServer(
    [program, file, String(processes)],
    {},
    { url: /^(http:\S+)$/, line: /^http/, times: 1 },
  );
  rmSync(directory, { recursive: true });
  return { url, cpuSeconds: () => usageOf(pid)?.cpuSeconds ?? null, stop };
}
