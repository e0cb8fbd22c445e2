import { figure } from '../../figures.ts';
import { runLoad } from '../../load/generator.ts';
import { whileMetered } from '../servers.ts';
import { heartbeats, loopFigure, pingFigures, problems, type Scenario } from './scenario.ts';

/** A node sends a heartbeat every 20 to 30 seconds. */
const PING_INTERVAL_SECONDS = 30;
const READS_PER_SECOND = 15;

export const fleet: Scenario = {
  name: 'fleet',
  about: `each node's heartbeat every ${PING_INTERVAL_SECONDS} s in random order, and ${READS_PER_SECOND} compressed reads a second`,
  setup: { nodes: 100_000 },
  async run({ service, setup: { nodes } }, { seconds }) {
    const rate = nodes / PING_INTERVAL_SECONDS;
    const load = (duration: number) =>
      Promise.all([
        // Connections that are free stay idle: a fleet has as many as it has pings under way.
        heartbeats(service, { connections: 512, seconds: duration, rate, nodes }),
        runLoad({
          url: `${service.url}/api/mesh`,
          method: 'GET',
          headers: { 'accept-encoding': 'br' },
          connections: 32,
          seconds: duration,
          rate: READS_PER_SECOND,
          nodes,
        }),
      ]);
    await load(Math.min(3, seconds));
    const [[pings, reads], used] = await whileMetered(service, () => load(seconds * 2.5));
    return [
      figure('pings answered', pings.perSecond, '/s', String(Math.round(rate))),
      ...pingFigures(pings, { p99: '< 50' }),
      figure('reads answered', reads.perSecond, '/s', String(READS_PER_SECOND)),
      figure('read p50', reads.p50, 'ms'),
      figure('read p99', reads.p99, 'ms', '< 500'),
      ...problems('reads', reads),
      loopFigure(used, '< 20'),
      figure('memory of a process', used.residentMb, 'MB', '< 600'),
      figure('CPU of the service', used.cores, 'cores'),
      figure('start', service.startSeconds, 's'),
    ];
  },
};
