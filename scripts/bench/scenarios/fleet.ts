import { runLoad } from '../load.ts';
import { JSON_TYPE, loopFigure, problems, type Scenario } from './scenario.ts';

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
        runLoad({
          url: `${service.url}/api/mesh/ping`,
          method: 'POST',
          headers: JSON_TYPE,
          // Those that are free stay idle: a fleet has as many connections as it has pings under way.
          connections: 512,
          seconds: duration,
          rate,
          nodes,
        }),
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
    const meter = await service.meter();
    const [pings, reads] = await load(seconds * 2.5);
    const used = await meter.stop();
    return [
      { name: 'pings answered', value: pings.perSecond, unit: '/s', aim: `${Math.round(rate)}` },
      { name: 'ping p50', value: pings.p50, unit: 'ms' },
      { name: 'ping p99', value: pings.p99, unit: 'ms', aim: '< 50' },
      ...problems('pings', pings),
      { name: 'reads answered', value: reads.perSecond, unit: '/s', aim: `${READS_PER_SECOND}` },
      { name: 'read p50', value: reads.p50, unit: 'ms' },
      { name: 'read p99', value: reads.p99, unit: 'ms', aim: '< 500' },
      ...problems('reads', reads),
      loopFigure(used, '< 20'),
      { name: 'memory of a process', value: used.residentMb, unit: 'MB', aim: '< 600' },
      { name: 'CPU of the service', value: used.cores, unit: 'cores' },
      { name: 'start', value: service.startSeconds, unit: 's' },
    ];
  },
};
