import type { DatabaseKind } from '../databases.ts';
import { figure, type Figure } from '../../figures.ts';
import { runLoad, type LoadOptions, type LoadResult } from '../../load/generator.ts';
import type { Service, Used } from '../servers.ts';

/** A running service, with this many nodes. */
export interface Setup {
  database: DatabaseKind;
  nodes: number;
  /** Of one server: WEB_CONCURRENCY. */
  processes: number;
  /** Servers on one database; 1 unless the scenario is about several. */
  servers: number;
}

export interface Target {
  setup: Setup;
  /** The first server. */
  service: Service;
  /** All of them. */
  services: Service[];
}

export interface RunOptions {
  /** Seconds of each measurement; the scenarios with many nodes take more. */
  seconds: number;
  /** A second opinion by wrk. */
  wrk: boolean;
}

export interface Scenario {
  name: string;
  /** One line for --help and the report. */
  about: string;
  setup: Pick<Setup, 'nodes'> & Partial<Setup>;
  /** Also measured with the embedded database. */
  embedded?: boolean;
  /** Only with one process. */
  oneProcess?: boolean;
  /** Shares its service with no other scenario: it measures memory. */
  alone?: boolean;
  run(target: Target, options: RunOptions): Promise<Figure[]>;
}

/** The build that is measured does not have what the scenario needs. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** A load of heartbeats. */
export const heartbeats = (
  { url }: Service,
  load: Pick<LoadOptions, 'connections' | 'seconds' | 'rate' | 'nodes'>,
): Promise<LoadResult> =>
  runLoad({ url: `${url}/api/mesh/ping`, method: 'POST', headers: JSON_TYPE, ...load });

export const JSON_TYPE = { 'content-type': 'application/json' };

/** @throws Unsupported if a GET of this URL is not answered with 200 */
export async function requireRoute(url: string): Promise<void> {
  const stop = new AbortController();
  const { status } = await fetch(url, { signal: stop.signal });
  stop.abort();
  if (status !== 200)
    throw new Unsupported(`GET ${new URL(url).pathname} is answered with ${status}`);
}

/** Problems of a load, where there are any. */
export const problems = (
  what: string,
  { bad, late }: Pick<LoadResult, 'bad' | 'late'>,
): Figure[] => [
  ...(bad > 0 ? [figure(`${what}: failed`, bad, '', 'none')] : []),
  ...(late > 0 ? [figure(`${what}: no answer in 10 s`, late, '', 'none')] : []),
];

/** The latencies of heartbeats, and their problems. */
export const pingFigures = (
  pings: LoadResult,
  aims: { p50?: string; p99?: string } = {},
): Figure[] => [
  figure('ping p50', pings.p50, 'ms', aims.p50),
  figure('ping p99', pings.p99, 'ms', aims.p99),
  ...problems('pings', pings),
];

export const loopFigure = ({ loopP99 }: Used, aim?: string): Figure =>
  figure('event-loop delay p99', loopP99, 'ms', aim);
