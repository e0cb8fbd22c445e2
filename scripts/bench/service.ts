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
  /** From the start until every process was ready, seconds. */
  startSeconds: number;
}

/** How long a start may take, however many nodes it loads. */
const START_MS = 120_000;

process.on('exit', endAllServers);

/** Starts the service on a database, with nothing that would limit a load test. */
export async function startService(
  { program, nodeArgs }: Build,
  database: string,
  { processes = 1, profile = [] }: { processes?: number; profile?: string[] } = {},
): Promise<Service> {
  const startedAt = performance.now();
  const server = await startServerProcess(
    {
      NODE_ENV: 'development',
      // All nodes and viewers of a load test are one client.
      NEW_NODES_PER_HOUR: '1000000000',
      MAX_STREAMS: '100000',
      STREAMS_PER_CLIENT: '100000',
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
  return { ...server, processes, startSeconds };
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
  const { statusCode, body } = await request(`${url}/api/mesh/ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...heartbeatOf(0), nodeId }),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`A heartbeat was answered with ${statusCode}: ${answer}`);
  return (JSON.parse(answer) as { peer: { lastSeen: string } }).peer.lastSeen;
}
