import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { usageOf } from '../../test/support/processes.ts';
import {
  endAllServers,
  startServerProcess,
  type ServerProcess,
} from '../../test/support/server-process.ts';
import { until } from '../../test/support/until.ts';
import { heartbeatOf } from '../load/requests.ts';
import type { Build } from './builds.ts';

/** The service that is measured. */
export interface Service extends ServerProcess {
  processes: number;
  /** Of a node's requests. */
  nodeHeaders: Record<string, string>;
  /** From the start until every process was ready, seconds. */
  startSeconds: number;
}

/** How long a start may take, however many nodes it loads. */
const START_MS = 120_000;

/** Nothing limits a load test, of which all nodes and viewers are one client. */
const UNLIMITED = {
  NODE_ENV: 'development',
  NEW_NODES_PER_HOUR: '1000000000',
  MAX_STREAMS: '100000',
  STREAMS_PER_CLIENT: '100000',
};
const SECRET = 'of-the-nodes-of-a-bench';
/** As in production, with each of its limits. */
export const DEPLOYED = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  RATE_LIMITS: 'on',
  WEBHOOK_SECRET: SECRET,
  AUTH_SECRET: 'of the sessions of a bench, the same after a restart',
  CASHTAG: '$MeshDemo',
  // Offers need neither an active name nor a node that announces them again.
  COMPUTE_LISTING: 'announced',
  COMPUTE_FRESH_MS: '86400000',
};

process.on('exit', endAllServers);

interface ServiceOptions {
  processes?: number;
  profile?: string[];
  /** With each limit, as in production; and further settings. */
  deployed?: Record<string, string> | undefined;
}

/** Starts the service on a database. */
export async function startService(
  { program, nodeArgs }: Build,
  database: string,
  { processes = 1, profile = [], deployed }: ServiceOptions = {},
): Promise<Service> {
  const startedAt = performance.now();
  const server = await startServerProcess(
    {
      ...(deployed ? { ...DEPLOYED, ...deployed } : UNLIMITED),
      // Each process logs when it is ready.
      LOG_LEVEL: 'info',
      WEB_CONCURRENCY: String(processes),
      DATABASE_URL: database,
    },
    { command: [program], nodeArgs: [...profile, ...nodeArgs], startMs: START_MS },
  );
  try {
    await until(
      'every process is ready',
      () => server.output().split('"msg":"ready"').length > processes,
      START_MS,
    );
  } catch (error) {
    await server.end('SIGKILL');
    throw error;
  }
  const startSeconds = (performance.now() - startedAt) / 1000;
  const nodeHeaders = {
    'content-type': 'application/json',
    ...(deployed && { authorization: `Bearer ${SECRET}` }),
  };
  return { ...server, processes, nodeHeaders, startSeconds };
}

/** Processor time of all processes of a server since the start, seconds; NaN where the system does not say. */
export const cpuSeconds = ({ pid }: ServerProcess): number => usageOf(pid)?.cpuSeconds ?? NaN;

/** Of the largest process; NaN where the system does not say. */
export const residentMb = ({ pid }: ServerProcess): number => usageOf(pid)?.residentMb ?? NaN;

/** What a service used while something ran. NaN where the system or the build does not say. */
export interface Used {
  /** Processor time of all processes per second. */
  cores: number;
  /** The event-loop delay of the slowest process, ms. An idle one shows 10 to 11, by the resolution of the timer. */
  loopP99: number;
}

export async function whileMetered<Value>(
  service: Service,
  run: () => Promise<Value>,
): Promise<[Value, Used]> {
  const loopP99 = async () =>
    Math.max(...(await metricOf(service, 'nodejs_eventloop_lag_p99_seconds'))) * 1000;
  // Reading the delay resets it.
  await loopP99();
  const since = performance.now();
  const before = cpuSeconds(service);
  const value = await run();
  const cores = (cpuSeconds(service) - before) / ((performance.now() - since) / 1000);
  return [value, { cores, loopP99: await loopP99() }];
}

/** A metric of each process; NaN where a build does not have it. New connections go to each process in turn. */
async function metricOf({ url, processes }: Service, name: string): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < processes; n++) {
    const { body } = await request(`${url}/metrics`, { headers: { connection: 'close' } });
    found.push(Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await body.text())?.[1] ?? NaN));
  }
  return found;
}

/**
 * The memory that is in use after garbage collections, of all processes, MB: the lowest of several moments of a service
 * under load.
 */
export async function usedHeapMb(service: Service, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1000;
  let lowest = Infinity;
  while (performance.now() < endsAt) {
    const heap = await metricOf(service, 'nodejs_heap_size_used_bytes');
    lowest = Math.min(
      lowest,
      heap.reduce((sum, bytes) => sum + bytes),
    );
    await sleep(200);
  }
  return lowest / 1e6;
}

/** Sends one heartbeat, and returns when the service says that it came. */
export async function ping(url: string, nodeId: string): Promise<string> {
  const answer = await send(`${url}/api/mesh/ping`, { ...heartbeatOf(0), nodeId });
  return (answer as { peer: { lastSeen: string } }).peer.lastSeen;
}

/** Announces one compute offer of a node. */
export async function announce(url: string, nodeId: string): Promise<void> {
  const offer = { name: 'offer', image: 'ghcr.io/acme/llama:3.1', visibility: 'public' };
  await send(`${url}/api/registry/computes`, {
    nodeId,
    computes: [{ ...offer, replicas: 4, freeSlots: 2 }],
  });
}

async function send(url: string, content: object): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(content),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`${url} was answered with ${statusCode}: ${answer}`);
  return JSON.parse(answer);
}
