import { figure, type Figure } from '../figures.ts';
import { runLoad, type LoadOptions, type LoadResult } from '../load/generator.ts';
import type { Build } from './builds.ts';
import type { Service } from './service.ts';

/** What all scenarios are made of. */
export interface Scenario {
  /** One line for --help. */
  about: string;
  nodes: number;
  /** On one database; 1 unless the scenario is about several. */
  servers?: number;
  /**
   * Tries what the service bears as it is deployed: one process, with every limit. It runs only if it is named, and has a
   * table of its own, in which a figure `row: column` has its place.
   */
  trial?: Trial;
  run(target: Target): Promise<Figure[]>;
}

export interface Trial {
  /** Compute offers. */
  offers: number;
  /** Further settings of the service. */
  environment: Record<string, string>;
  /** What the rows are. */
  rows: string;
}

/** A running service, with this many nodes. */
export interface Target {
  /** The first server, and all of them. */
  service: Service;
  services: Service[];
  build: Build;
  databaseUrl: string;
  /** Ends the first server, and starts another one in its place, with the same database. */
  restart(): Promise<Service>;
  nodes: number;
  /** Of each measurement; the scenarios with many nodes take more. */
  seconds: number;
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** A load of heartbeats. */
export const heartbeats = (
  { url, nodeHeaders }: Service,
  load: Pick<LoadOptions, 'connections' | 'seconds' | 'rate' | 'nodes'>,
): Promise<LoadResult> =>
  runLoad({ url: `${url}/api/mesh/ping`, method: 'POST', headers: nodeHeaders, ...load });

/** A load of reads. */
export const reads = (
  { service, seconds, nodes }: Target,
  path: string,
  load: Pick<LoadOptions, 'connections'> & Partial<LoadOptions>,
): Promise<LoadResult> =>
  runLoad({ url: `${service.url}${path}`, method: 'GET', headers: {}, seconds, nodes, ...load });

/** Problems of a load, where there are any. */
export const problems = (what: string, { bad, late }: Pick<LoadResult, 'bad' | 'late'>): Figure[] =>
  [
    figure(`${what}: failed`, bad, '', 'none'),
    figure(`${what}: no answer in 10 s`, late, '', 'none'),
  ].filter(({ value }) => value > 0);

/** The latencies of heartbeats, and their problems. */
export const pingFigures = (
  pings: LoadResult,
  aims: { p50?: string; p99?: string } = {},
): Figure[] => [
  figure('ping p50', pings.p50, 'ms', aims.p50),
  figure('ping p99', pings.p99, 'ms', aims.p99),
  ...problems('pings', pings),
];
