import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Build } from './builds.ts';
import { startServer, usageOf } from './processes.ts';

export interface Service {
  url: string;
  processes: number;
  /** From the start until every process answered, seconds. */
  startSeconds: number;
  /** Processor time of all processes since the start; null where the system does not say. */
  cpuSeconds: () => number | null;
  /** Measures what the service uses from now until `stop`. */
  meter: () => Promise<{ stop: () => Promise<Used> }>;
  stop: () => Promise<void>;
}

/** Null where the system or the build does not say. */
export interface Used {
  /** Processor time of all processes per second. */
  cores: number | null;
  /** Of the largest process, at the end. */
  residentMb: number | null;
  /** The event-loop delay of the slowest process, ms. An idle one shows 10 to 11, by the resolution of the timer. */
  loopP99: number | null;
}

/** Starts the service, with nothing that would limit a load test. */
export async function startService(
  build: Build,
  env: Record<string, string>,
  options: { processes?: number; nodeArgs?: string[] } = {},
): Promise<Service> {
  const { processes = 1, nodeArgs = [] } = options;
  const startedAt = performance.now();
  const server = await startServer([...nodeArgs, ...build.args], /Map +(http:\/\/\S+)\//, {
    env: {
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
    ready: { pattern: /"msg":"ready"/, times: processes },
  });
  const url = server.printed;
  return {
    url,
    processes,
    startSeconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: () => usageOf(server.pid)?.cpuSeconds ?? null,
    async meter() {
      // Reading the delay resets it.
      await loopP99({ url, processes });
      const since = performance.now();
      const before = usageOf(server.pid);
      return {
        async stop() {
          const after = usageOf(server.pid);
          const seconds = (performance.now() - since) / 1000;
          return {
            cores: before && after ? (after.cpuSeconds - before.cpuSeconds) / seconds : null,
            residentMb: after?.residentMb ?? null,
            loopP99: await loopP99({ url, processes }),
          };
        },
      };
    },
    stop: server.stop,
  };
}

/** A metric of each process; fewer where a build does not have it. New connections go to each process in turn. */
async function metricOf(
  { url, processes }: Pick<Service, 'url' | 'processes'>,
  name: string,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < processes; n++) {
    const { body } = await request(`${url}/metrics`, { headers: { connection: 'close' } });
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(await body.text())?.[1];
    if (value !== undefined) found.push(Number(value));
  }
  return found;
}

async function loopP99(service: Pick<Service, 'url' | 'processes'>): Promise<number | null> {
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

/** Sends one heartbeat, and returns the answer. */
export async function ping(url: string, nodeId: string): Promise<{ lastSeen: string }> {
  const { statusCode, body } = await request(`${url}/api/mesh/ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      nodeId,
      lat: 1,
      lng: 1,
      label: 'node 0',
      class: 'M',
      region: 'EU',
      status: 'online',
    }),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`A heartbeat was answered with ${statusCode}: ${answer}`);
  return (JSON.parse(answer) as { peer: { lastSeen: string } }).peer;
}
