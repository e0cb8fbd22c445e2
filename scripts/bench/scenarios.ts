import { figure, type Figure } from '../figures.ts';
import { withStreams, type LoadResult } from '../load/generator.ts';
import { attacks } from './attacks.ts';
import { CONNECTIONS, compareWithBaseline, type Comparison } from './against-baseline.ts';
import { pages } from './pages.ts';
import { replication } from './replication.ts';
import {
  heartbeats,
  JSON_TYPE,
  pingFigures,
  problems,
  reads,
  type Scenario,
  type Target,
} from './scenario.ts';
import { residentMb, usedHeapMb, whileMetered } from './service.ts';

const PINGS = { method: 'POST', path: '/api/mesh/ping', headers: JSON_TYPE } as const;
const STREAM_PATH = '/api/trpc/mesh.changes';
const STREAMS = 2000;
/** A node sends a heartbeat every 20 to 30 seconds. */
const PING_INTERVAL_SECONDS = 30;
const READS_PER_SECOND = 15;

/** Heartbeats beside something else, at a rate that is no load. */
const pinging = ({ service, nodes, seconds }: Target, rate: number): Promise<LoadResult> =>
  heartbeats(service, { connections: Math.min(64, rate), seconds, rate, nodes });

const pings: Scenario = {
  about: 'heartbeats acknowledged, as many as possible',
  nodes: 1000,
  run: (target) =>
    compareWithBaseline(target, {
      ...PINGS,
      what: 'pings',
      aims:
        target.service.processes === 1
          ? { ratio: '≥ 0.40', cpu: '≤ 50' }
          : { cpu: '≤ 1.2 × one process' },
    }),
};

const signed: Scenario = {
  about: 'signed heartbeats, each by its node’s key, as many as possible',
  nodes: 1000,
  async run(target) {
    const { service, nodes, seconds } = target;
    const figures = await compareWithBaseline(target, {
      ...PINGS,
      what: 'signed pings',
      signed: true,
      aims: service.processes === 1 ? { rate: '≥ 3,000' } : {},
    });
    const unsigned = await heartbeats(service, { connections: CONNECTIONS, seconds, nodes });
    return [...figures, figure('unsigned pings', unsigned.perSecond, '/s')];
  },
};

const lists: Scenario = {
  about: 'the list of nodes: plain, compressed, and unchanged (304)',
  nodes: 1000,
  async run(target) {
    const read = (comparison: Pick<Comparison, 'what'> & Partial<Comparison>) =>
      compareWithBaseline(target, { method: 'GET', path: '/api/mesh', headers: {}, ...comparison });
    // First, as long as all nodes are online: each that goes offline is a change.
    const unchanged = await read({ what: '304', unchanged: true, aims: { ratio: '≥ 0.6' } });
    const plain = await read({ what: 'plain', aims: { ratio: '≥ 0.75' } });
    return [
      ...unchanged,
      ...plain,
      ...(await read({ what: 'br', headers: { 'accept-encoding': 'br' } })),
    ];
  },
};

const lookups: Scenario = {
  about: 'look-ups of free names on 64 connections, and 200 pings a second',
  nodes: 1000,
  async run(target) {
    const path = '/api/registry/register?name=free-{n}';
    const [pings, found] = await Promise.all([
      pinging(target, 200),
      reads(target, path, { connections: 64, nodes: 10_000 }),
    ]);
    return [
      ...pingFigures(pings),
      figure('look-ups', found.perSecond, '/s'),
      figure('look-up p99', found.p99, 'ms'),
      ...problems('look-ups', found),
    ];
  },
};

const streams: Scenario = {
  about: `${STREAMS} streams that stay open, at 200 pings a second`,
  nodes: 1000,
  async run(target) {
    const { service, seconds } = target;
    const heap = async () =>
      (await Promise.all([usedHeapMb(service, seconds), pinging(target, 200)]))[0];
    const heapBefore = await heap();
    const residentBefore = residentMb(service);
    const options = { url: `${service.url}${STREAM_PATH}`, connections: STREAMS, reopen: false };
    const [[heapAfter, [pings, used]], { open, ...read }] = await withStreams(
      options,
      async () => [await heap(), await whileMetered(service, () => pinging(target, 200))] as const,
    );
    const resident = (residentMb(service) - residentBefore) * service.processes;
    return [
      figure('streams open', open, '', String(STREAMS)),
      ...pingFigures(pings, { p50: '< 50' }),
      figure('heap of a stream', ((heapAfter - heapBefore) * 1000) / open, 'KB', '< 20'),
      figure('resident memory of a stream', (resident * 1000) / open, 'KB'),
      figure('sent to streams', read.megabytesPerSecond, 'MB/s'),
      figure('reader busy', read.busy * 100, '%', '< 90'),
      figure('CPU of the service', used.cores, 'cores'),
      figure('event-loop delay p99', used.loopP99, 'ms'),
    ];
  },
};

const reopen: Scenario = {
  about: '8 connections that open a stream, take its first list, close it, and open another',
  nodes: 30_000,
  async run(target) {
    const { service } = target;
    const options = { url: `${service.url}${STREAM_PATH}`, connections: 8, reopen: true };
    const [[pings, result], used] = await whileMetered(service, () =>
      withStreams(options, () => pinging(target, 20)),
    );
    return [
      ...pingFigures(pings, { p99: '< 100' }),
      figure('lists sent', result.perSecond, '/s'),
      figure('list p50', result.p50, 'ms'),
      figure('streams refused', result.refused),
      figure('event-loop delay p99', used.loopP99, 'ms'),
    ];
  },
};

const typed: Scenario = {
  about:
    '8 connections that read the whole list, by mesh.get of the typed API and by GET /api/mesh',
  nodes: 30_000,
  async run(target) {
    const beside = async (what: string, path: string, aim?: string): Promise<Figure[]> => {
      const [pings, read] = await Promise.all([
        pinging(target, 20),
        reads(target, path, { connections: 8 }),
      ]);
      return [
        figure(what, read.perSecond, '/s'),
        figure(`ping p50 beside ${what}`, pings.p50, 'ms'),
        figure(`ping p99 beside ${what}`, pings.p99, 'ms', aim),
        ...problems(what, read),
        ...problems('pings', pings),
      ];
    };
    return [
      ...(await beside('GET /api/mesh', '/api/mesh')),
      ...(await beside('mesh.get', '/api/trpc/mesh.get', 'as beside GET /api/mesh')),
    ];
  },
};

const fleet: Scenario = {
  about: `each node's heartbeat every ${PING_INTERVAL_SECONDS} s in random order, and ${READS_PER_SECOND} compressed reads a second`,
  nodes: 100_000,
  async run(target) {
    const { service, nodes } = target;
    const rate = nodes / PING_INTERVAL_SECONDS;
    const load = (seconds: number) =>
      Promise.all([
        // Connections that are free stay idle: a fleet has as many as it has pings under way.
        heartbeats(service, { connections: 512, seconds, rate, nodes }),
        reads(target, '/api/mesh', {
          headers: { 'accept-encoding': 'br' },
          connections: 32,
          seconds,
          rate: READS_PER_SECOND,
        }),
      ]);
    await load(Math.min(3, target.seconds));
    const [[pings, read], used] = await whileMetered(service, () => load(target.seconds * 2.5));
    return [
      figure('pings answered', pings.perSecond, '/s', String(Math.round(rate))),
      ...pingFigures(pings, { p99: '< 50' }),
      figure('reads answered', read.perSecond, '/s', String(READS_PER_SECOND)),
      figure('read p50', read.p50, 'ms'),
      figure('read p99', read.p99, 'ms', '< 500'),
      ...problems('reads', read),
      figure('event-loop delay p99', used.loopP99, 'ms', '< 20'),
      figure('memory of a process', residentMb(service), 'MB', '< 600'),
      figure('CPU of the service', used.cores, 'cores'),
      figure('start', service.startSeconds, 's'),
    ];
  },
};

/** In the order in which they run. */
export const SCENARIOS: Record<string, Scenario> = {
  pings,
  signed,
  reads: lists,
  lookups,
  streams,
  replication,
  reopen,
  typed,
  fleet,
  pages,
  attacks,
};
