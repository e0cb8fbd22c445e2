import { record, startBaseline, type Answer } from '../baseline.ts';
import { runLoad, type LoadOptions, type LoadResult } from '../load.ts';
import { median } from '../report.ts';
import { runWrk } from '../wrk.ts';
import { JSON_TYPE, problems, type Figure, type Scenario, type Target } from './scenario.ts';
import type { RunOptions } from './scenario.ts';

const CONNECTIONS = 64;
const SLICES = 4;

/** One slice of a measurement. Processor time in seconds, null where the system does not say. */
interface Slice {
  limit: LoadResult;
  limitCpu: number | null;
  load: LoadResult;
  cpu: number | null;
}

const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);

interface Request {
  /** In front of the figures' names. */
  what: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** Ask for what has not changed: 304. */
  unchanged?: boolean;
  aims: { ratio?: string; cpu?: string };
}

/** As many requests as possible, to the service and to a bare node:http server with the same answers. */
async function compare(
  { service, setup }: Target,
  { seconds, wrk }: RunOptions,
  { what, unchanged = false, aims, ...request }: Request,
): Promise<Figure[]> {
  const own: LoadOptions = {
    url: `${service.url}${request.path}`,
    method: request.method,
    headers: request.headers,
    connections: CONNECTIONS,
    seconds,
    nodes: setup.nodes,
    // One thread is about twice as fast as one bare server.
    threads: setup.processes > 1 ? 2 : 1,
  };
  /** With the tag of now: a node that goes offline changes the list. */
  const current = async (): Promise<LoadOptions> => {
    if (!unchanged) return own;
    const { headers } = await record(own.url, { headers: own.headers });
    return { ...own, headers: { ...own.headers, 'if-none-match': String(headers['etag']) } };
  };
  const answer = await recordAnswer(await current());
  if (unchanged && answer.status !== 304)
    return [{ name: `${what}: failed`, value: null, unit: '', aim: 'none' }];
  const baseline = await startBaseline({ [what]: answer }, setup.processes);
  try {
    const bare = {
      ...own,
      url: `${baseline.url}${request.path}`,
      headers: { ...(await current()).headers, 'x-bench': what },
    };
    // Compiled and cached first: the rest is measured as after minutes.
    await runLoad({ ...bare, seconds: 1 });
    await runLoad({ ...(await current()), seconds: Math.min(3, seconds) });
    // In slices, one after the other, so that what else the machine does meets both.
    const slices: Slice[] = [];
    for (let n = 0; n < SLICES; n++) {
      const bareCpu = baseline.cpuSeconds();
      const limit = await runLoad({ ...bare, seconds: seconds / SLICES });
      const limitCpu = minus(baseline.cpuSeconds(), bareCpu);
      const meter = await service.meter();
      const load = await runLoad({ ...(await current()), seconds: seconds / SLICES });
      slices.push({ limit, limitCpu, load, cpu: (await meter.stop()).cpuSeconds });
    }
    const middle = (value: (slice: Slice) => number | null) => median(slices.map(value));
    const cpuEach = ({ cpu, load }: Slice) => (cpu === null ? null : (cpu / load.answered) * 1e6);
    const bareCpuEach = ({ limitCpu, limit }: Slice) =>
      limitCpu === null ? null : (limitCpu / limit.answered) * 1e6;
    const figures: Figure[] = [
      { name: what, value: middle(({ load }) => load.perSecond), unit: '/s' },
      {
        name: `${what}: ratio`,
        value: middle(({ load, limit }) => load.perSecond / limit.perSecond),
        unit: 'of bare',
      },
      { name: `${what}: CPU each`, value: middle(cpuEach), unit: 'µs' },
      { name: `${what}: bare CPU each`, value: middle(bareCpuEach), unit: 'µs' },
      {
        name: `${what}: ratio by CPU`,
        value: middle((slice) => {
          const [bare, mine] = [bareCpuEach(slice), cpuEach(slice)];
          return bare === null || mine === null ? null : bare / mine;
        }),
        unit: 'of bare',
      },
      { name: `${what}: p50`, value: middle(({ load }) => load.p50), unit: 'ms' },
      { name: `${what}: p99`, value: middle(({ load }) => load.p99), unit: 'ms' },
      {
        name: `${what}: bare node:http`,
        value: middle(({ limit }) => limit.perSecond),
        unit: '/s',
      },
      {
        name: `${what}: bare server busy`,
        value: middle(({ limitCpu }) =>
          limitCpu === null ? null : (limitCpu / (seconds / SLICES)) * 100,
        ),
        unit: '%',
      },
      {
        name: `${what}: generator busy then`,
        value: middle(({ limit }) => limit.busy * 100),
        unit: '%',
        aim: '< 90',
      },
      ...problems(what, { bad: slices.reduce((sum, { load }) => sum + load.bad, 0) }),
    ];
    if (aims.ratio !== undefined) Object.assign(figures[1] ?? {}, { aim: aims.ratio });
    if (aims.cpu !== undefined) Object.assign(figures[2] ?? {}, { aim: aims.cpu });
    if (!wrk) return figures;
    const bareByWrk = await runWrk(bare);
    const byWrk = await runWrk(await current());
    return [
      ...figures,
      { name: `${what}: by wrk`, value: byWrk, unit: '/s' },
      { name: `${what}: bare by wrk`, value: bareByWrk, unit: '/s' },
      { name: `${what}: ratio by wrk`, value: byWrk / bareByWrk, unit: 'of bare' },
    ];
  } finally {
    await baseline.stop();
  }
}

async function recordAnswer({ url, method, headers }: LoadOptions): Promise<Answer> {
  if (method === 'GET') {
    // Each process of an earlier build has tags of its own: one of them knows this one.
    for (let n = 0; ; n++) {
      const answer = await record(url, { headers });
      if (answer.status === 304 || headers['if-none-match'] === undefined || n === 20)
        return answer;
    }
  }
  const ping = { nodeId: 'node_0', lat: 1, lng: 1, label: 'node 0', class: 'M', region: 'EU' };
  return record(url, { method, headers, body: JSON.stringify(ping) });
}

export const pings: Scenario = {
  name: 'pings',
  about: 'heartbeats acknowledged, as many as possible',
  setup: { nodes: 1000 },
  embedded: true,
  async run(target, options) {
    const { processes, database, nodes } = target.setup;
    const one = processes === 1;
    // Every node is there before: an embedded database starts empty.
    if (database === 'embedded')
      await runLoad({
        url: `${target.service.url}/api/mesh/ping`,
        method: 'POST',
        headers: JSON_TYPE,
        connections: CONNECTIONS,
        seconds: Math.max(2, nodes / 2500),
        nodes,
      });
    return compare(target, options, {
      what: 'pings',
      method: 'POST',
      path: '/api/mesh/ping',
      headers: JSON_TYPE,
      aims: {
        ...(one && database === 'PostgreSQL' ? { ratio: '≥ 0.40' } : {}),
        cpu: one ? '≤ 50' : '≤ 1.2 × one process',
      },
    });
  },
};

export const reads: Scenario = {
  name: 'reads',
  about: 'the list of nodes: plain, compressed, and unchanged (304)',
  setup: { nodes: 1000 },
  async run(target, options) {
    const read = (request: Pick<Request, 'what' | 'aims'> & Partial<Request>): Promise<Figure[]> =>
      compare(target, options, { method: 'GET', path: '/api/mesh', headers: {}, ...request });
    // First, as long as all nodes are online: each that goes offline is a change.
    const unchanged = await read({ what: '304', unchanged: true, aims: { ratio: '≥ 0.6' } });
    const plain = await read({ what: 'plain', aims: { ratio: '≥ 0.75' } });
    const br = await read({ what: 'br', headers: { 'accept-encoding': 'br' }, aims: {} });
    return [...unchanged, ...plain, ...br];
  },
};
