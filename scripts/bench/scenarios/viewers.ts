import { figure, type Figure } from '../../figures.ts';
import { runLoad, withStreams, type LoadResult } from '../../load/generator.ts';
import { usedHeapMb, whileMetered } from '../servers.ts';
import {
  heartbeats,
  loopFigure,
  pingFigures,
  problems,
  requireRoute,
  type Scenario,
  type Target,
} from './scenario.ts';

const STREAM_PATH = '/api/trpc/mesh.changes';

/** Heartbeats beside the viewers, at a rate that is no load. */
const pinging = (
  { service, setup: { nodes } }: Target,
  seconds: number,
  rate = 20,
): Promise<LoadResult> =>
  heartbeats(service, { connections: Math.min(64, rate), seconds, rate, nodes });

export const reopen: Scenario = {
  name: 'reopen',
  about: '8 connections that open a stream, take its first list, close it, and open another',
  setup: { nodes: 30_000 },
  async run(target, { seconds }) {
    const url = `${target.service.url}${STREAM_PATH}`;
    await requireRoute(url);
    const [[pings, result], used] = await whileMetered(target.service, () =>
      withStreams({ url, connections: 8, reopen: true }, () => pinging(target, seconds)),
    );
    return [
      ...pingFigures(pings, { p99: '< 100' }),
      figure('lists sent', result.perSecond, '/s'),
      figure('list p50', result.p50, 'ms'),
      figure('streams refused', result.refused, ''),
      loopFigure(used),
    ];
  },
};

export const typed: Scenario = {
  name: 'typed',
  about:
    '8 connections that read the whole list, by mesh.get of the typed API and by GET /api/mesh',
  setup: { nodes: 30_000 },
  async run(target, { seconds }) {
    const figures: Figure[] = [];
    for (const [what, path] of [
      ['GET /api/mesh', '/api/mesh'],
      ['mesh.get', '/api/trpc/mesh.get'],
    ] as const) {
      await requireRoute(`${target.service.url}${path}`);
      const [pings, reads] = await Promise.all([
        pinging(target, seconds),
        runLoad({
          url: `${target.service.url}${path}`,
          method: 'GET',
          headers: {},
          connections: 8,
          seconds,
          nodes: target.setup.nodes,
        }),
      ]);
      figures.push(
        figure(what, reads.perSecond, '/s'),
        figure(`ping p50 beside ${what}`, pings.p50, 'ms'),
        figure(
          `ping p99 beside ${what}`,
          pings.p99,
          'ms',
          what === 'mesh.get' ? 'as beside GET /api/mesh' : undefined,
        ),
        ...problems(what, reads),
        ...problems('pings', pings),
      );
    }
    return figures;
  },
};

const STREAMS = 2000;

export const streams: Scenario = {
  name: 'streams',
  about: `${STREAMS} streams that stay open, at 200 pings a second`,
  setup: { nodes: 1000 },
  alone: true,
  async run(target, { seconds }) {
    const url = `${target.service.url}${STREAM_PATH}`;
    await requireRoute(url);
    const heap = async () => {
      const [used] = await Promise.all([
        usedHeapMb(target.service, seconds),
        pinging(target, seconds, 200),
      ]);
      return used;
    };
    const heapBefore = await heap();
    const residentBefore = target.service.residentMb();
    const [[heapAfter, pings, used], result] = await withStreams(
      { url, connections: STREAMS, reopen: false },
      async () =>
        [
          await heap(),
          ...(await whileMetered(target.service, () => pinging(target, seconds, 200))),
        ] as const,
    );
    /** KB a stream, of megabytes before and after. */
    const each = (from: number | null, to: number | null) =>
      from === null || to === null || result.open === 0 ? null : ((to - from) * 1000) / result.open;
    const { processes } = target.setup;
    const resident = each(residentBefore, used.residentMb);
    return [
      figure('streams open', result.open, '', String(STREAMS)),
      ...pingFigures(pings, { p50: '< 50' }),
      figure('heap of a stream', each(heapBefore, heapAfter), 'KB', '< 20'),
      figure('resident memory of a stream', resident === null ? null : resident * processes, 'KB'),
      figure('sent to streams', result.megabytesPerSecond, 'MB/s'),
      figure('reader busy', result.busy * 100, '%', '< 90'),
      figure('CPU of the service', used.cores, 'cores'),
      loopFigure(used),
    ];
  },
};

export const lookups: Scenario = {
  name: 'lookups',
  about: 'look-ups of free names on 64 connections, and 200 pings a second',
  setup: { nodes: 1000 },
  async run(target, { seconds }) {
    const path = '/api/registry/register?name=free-{n}';
    await requireRoute(`${target.service.url}${path.replace('{n}', '0')}`);
    const [pings, found] = await Promise.all([
      pinging(target, seconds, 200),
      runLoad({
        url: `${target.service.url}${path}`,
        method: 'GET',
        headers: {},
        connections: 64,
        seconds,
        nodes: 10_000,
      }),
    ]);
    return [
      ...pingFigures(pings),
      figure('look-ups', found.perSecond, '/s'),
      figure('look-up p99', found.p99, 'ms'),
      ...problems('look-ups', found),
    ];
  },
};
