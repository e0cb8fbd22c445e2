import { join } from 'node:path';
import { request } from 'undici';
import { startServerProcess, type ServerProcess } from '../../test/support/server-process.ts';
import { figure, median, type Figure } from '../figures.ts';
import { runLoad, type LoadOptions, type LoadResult } from '../load/generator.ts';
import { heartbeatOf } from '../load/requests.ts';
import { problems, type Target } from './scenario.ts';
import { cpuSeconds } from './service.ts';

export const CONNECTIONS = 64;
const SLICES = 4;

export interface Comparison extends Pick<LoadOptions, 'method' | 'headers' | 'signed'> {
  /** In front of the figures' names. */
  what: string;
  path: string;
  /** Asks for what has not changed: 304. */
  unchanged?: boolean;
  aims?: { rate?: string; ratio?: string; cpu?: string };
}

/** As many requests as possible, to the service and to a bare node:http server with the same answers. */
export async function compareWithBaseline(
  { service, nodes, seconds }: Target,
  { what, path, unchanged = false, aims = {}, ...asked }: Comparison,
): Promise<Figure[]> {
  const { url, processes } = service;
  const load: LoadOptions = {
    ...asked,
    url: `${url}${path}`,
    connections: CONNECTIONS,
    seconds: seconds / SLICES,
    nodes,
    // One process is about twice as fast as one bare server.
    processes: processes > 1 ? 2 : 1,
  };
  /** With the tag of now: a node that goes offline changes the list. */
  const current = async (): Promise<LoadOptions> => {
    if (!unchanged) return load;
    const { headers, body } = await request(load.url, { headers: load.headers });
    await body.dump();
    return { ...load, headers: { ...load.headers, 'if-none-match': String(headers['etag']) } };
  };
  const first = await current();
  const baseline = await startBaseline(first, processes);
  try {
    const bareLoad = { ...first, url: `${baseline.url}${path}` };
    // Compiled and cached first: the rest is measured as after minutes.
    await runLoad({ ...bareLoad, seconds: 1 });
    await runLoad({ ...(await current()), seconds: Math.min(3, seconds) });
    // In slices, one after the other, so that what else the machine does meets both.
    const slices: Slice[] = [];
    for (let n = 0; n < SLICES; n++) {
      const bare = await measure(baseline, bareLoad);
      slices.push({ bare, own: await measure(service, await current()) });
    }
    const measured: [
      name: string,
      value: (slice: Slice) => number,
      unit: string,
      aim?: string | undefined,
    ][] = [
      [what, ({ own }) => own.perSecond, '/s', aims.rate],
      [`${what}: ratio`, ({ own, bare }) => own.perSecond / bare.perSecond, 'of bare', aims.ratio],
      [`${what}: ratio by CPU`, ({ own, bare }) => bare.cpuUs / own.cpuUs, 'of bare'],
      [`${what}: CPU each`, ({ own }) => own.cpuUs, 'µs', aims.cpu],
      [`${what}: p50`, ({ own }) => own.p50, 'ms'],
      [`${what}: p99`, ({ own }) => own.p99, 'ms'],
      [`${what}: bare server busy`, ({ bare }) => bare.cores * 100, '%'],
      [`${what}: generator busy then`, ({ bare }) => bare.busy * 100, '%', '< 90'],
    ];
    return [
      ...measured.map(([name, value, unit, aim]) =>
        figure(name, median(slices.map(value)), unit, aim),
      ),
      ...problems(what, { bad: slices.reduce((sum, { own }) => sum + own.bad, 0), late: 0 }),
    ];
  } finally {
    await baseline.end('SIGTERM');
  }
}

interface Measured extends LoadResult {
  /** Processor time of the server: a share of a core, and for each answer. NaN where the system does not say. */
  cores: number;
  cpuUs: number;
}

/** A slice of each, one after the other. */
interface Slice {
  own: Measured;
  bare: Measured;
}

async function measure(server: ServerProcess, load: LoadOptions): Promise<Measured> {
  const before = cpuSeconds(server);
  const result = await runLoad(load);
  const used = cpuSeconds(server) - before;
  return { ...result, cores: used / load.seconds, cpuUs: (used / result.answered) * 1e6 };
}

/** A bare node:http server that answers every request as the service answers this one. */
const startBaseline = ({ url, method, headers }: LoadOptions, processes: number) => {
  const body = method === 'POST' ? JSON.stringify(heartbeatOf(0)) : '';
  return startServerProcess(
    {},
    {
      command: [
        join(import.meta.dirname, 'baseline.mjs'),
        String(processes),
        url,
        JSON.stringify({ method, headers, body }),
      ],
    },
  );
};
