import { figure, median, type Figure } from '../../figures.ts';
import { runLoad, type LoadOptions, type LoadResult } from '../../load/generator.ts';
import { runWrk } from '../../load/wrk.ts';
import { FIRST_HEARTBEAT, record, startBaseline, type Recorded, type Server } from '../servers.ts';
import { problems, type RunOptions, type Target } from './scenario.ts';

export const CONNECTIONS = 64;
const SLICES = 4;

export interface Request {
  /** In front of the figures' names. */
  what: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** Heartbeats are signed, each by its node's key. */
  signed?: boolean;
  /** Ask for what has not changed: 304. */
  unchanged?: boolean;
  aims: { rate?: string; ratio?: string; cpu?: string };
}

/** As many requests as possible, to the service and to a bare node:http server with the same answers. */
export async function compareWithBaseline(
  { service, setup }: Target,
  { seconds, wrk }: RunOptions,
  { what, unchanged = false, aims, ...request }: Request,
): Promise<Figure[]> {
  const load: LoadOptions = {
    url: `${service.url}${request.path}`,
    method: request.method,
    headers: request.headers,
    connections: CONNECTIONS,
    seconds: seconds / SLICES,
    nodes: setup.nodes,
    ...(request.signed && { signed: true }),
    // One process is about twice as fast as one bare server.
    processes: setup.processes > 1 ? 2 : 1,
  };
  /** With the tag of now: a node that goes offline changes the list. */
  const current = async (): Promise<LoadOptions> => {
    if (!unchanged) return load;
    const { headers } = await record(load.url, { headers: load.headers });
    return { ...load, headers: { ...load.headers, 'if-none-match': String(headers['etag']) } };
  };
  const first = await current();
  const baseline = await startBaseline(await recordAnswer(first), setup.processes);
  try {
    const bareLoad = { ...first, url: `${baseline.url}${request.path}` };
    // Compiled and cached first: the rest is measured as after minutes.
    await runLoad({ ...bareLoad, seconds: 1 });
    await runLoad({ ...(await current()), seconds: Math.min(3, seconds) });
    // In slices, one after the other, so that what else the machine does meets both.
    const slices: Slice[] = [];
    for (let n = 0; n < SLICES; n++) {
      const bare = await measure(baseline, bareLoad);
      slices.push({ bare, own: await measure(service, await current()) });
    }
    const figures = figuresOf(what, slices, aims);
    if (!wrk) return figures;
    const bareByWrk = await runWrk({ ...bareLoad, seconds });
    const ownByWrk = await runWrk({ ...(await current()), seconds });
    return [
      ...figures,
      figure(`${what}: by wrk`, ownByWrk, '/s'),
      figure(`${what}: bare by wrk`, bareByWrk, '/s'),
      figure(`${what}: ratio by wrk`, ownByWrk / bareByWrk, 'of bare'),
    ];
  } finally {
    await baseline.stop();
  }
}

interface Measured extends LoadResult {
  /** Processor time of the server: a share of a core, and for each answer. Null where the system does not say. */
  cores: number | null;
  cpuUs: number | null;
}

/** A slice of each, one after the other. */
interface Slice {
  own: Measured;
  bare: Measured;
}

async function measure(server: Server, load: LoadOptions): Promise<Measured> {
  const before = server.cpuSeconds();
  const result = await runLoad(load);
  const after = server.cpuSeconds();
  const used = before === null || after === null ? null : after - before;
  return {
    ...result,
    cores: used === null ? null : used / load.seconds,
    cpuUs: used === null ? null : (used / result.answered) * 1e6,
  };
}

function figuresOf(what: string, slices: Slice[], aims: Request['aims']): Figure[] {
  type Key = 'perSecond' | 'cpuUs' | 'cores' | 'busy' | 'p50' | 'p99';
  const own = (key: Key) => median(slices.map((slice) => slice.own[key]));
  const bare = (key: Key) => median(slices.map((slice) => slice.bare[key]));
  const ratio = (value: (slice: Slice) => number) => median(slices.map(value));
  const percent = (share: number | null) => (share === null ? null : share * 100);
  return [
    figure(what, own('perSecond'), '/s', aims.rate),
    figure(
      `${what}: ratio`,
      ratio((slice) => slice.own.perSecond / slice.bare.perSecond),
      'of bare',
      aims.ratio,
    ),
    figure(
      `${what}: ratio by CPU`,
      ratio((slice) => (slice.bare.cpuUs ?? NaN) / (slice.own.cpuUs ?? NaN)),
      'of bare',
    ),
    figure(`${what}: CPU each`, own('cpuUs'), 'µs', aims.cpu),
    figure(`${what}: p50`, own('p50'), 'ms'),
    figure(`${what}: p99`, own('p99'), 'ms'),
    figure(`${what}: bare node:http`, bare('perSecond'), '/s'),
    figure(`${what}: bare CPU each`, bare('cpuUs'), 'µs'),
    figure(`${what}: bare server busy`, percent(bare('cores')), '%'),
    figure(`${what}: generator busy then`, percent(bare('busy')), '%', '< 90'),
    ...problems(what, { bad: slices.reduce((sum, slice) => sum + slice.own.bad, 0), late: 0 }),
  ];
}

async function recordAnswer({ url, method, headers }: LoadOptions): Promise<Recorded> {
  if (method === 'POST')
    return record(url, { method, headers, body: JSON.stringify(FIRST_HEARTBEAT) });
  // Each process of an earlier build has tags of its own: one of them knows this one.
  for (let n = 0; ; n++) {
    const answer = await record(url, { headers });
    if (answer.status === 304 || headers['if-none-match'] === undefined || n === 20) return answer;
  }
}
