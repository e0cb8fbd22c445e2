import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { runLoad } from '../load.ts';
import { ping } from '../service.ts';
import { figure, JSON_TYPE, problems, type Scenario } from './scenario.ts';

const PINGS_PER_SECOND = 2000;
/** So exactly is it known when a probe arrives. */
const READ_EVERY_MS = 50;
const PROBE_EVERY_MS = 25;
const PROBES = 200;
/** After this a probe counts as lost. */
const PATIENCE_MS = 10_000;

interface Mesh {
  peers: { id: string; lastSeen: string }[];
}

export const replication: Scenario = {
  name: 'replication',
  about: `from the answer of one server until another server's list shows it, at ${PINGS_PER_SECOND} pings a second`,
  setup: { nodes: 1000, servers: 2 },
  oneProcess: true,
  async run({ services, setup }, { seconds }) {
    const [one, other] = services;
    if (!one || !other) throw new Error('Replication takes two servers.');
    const delays = createHistogram();
    /** Answered probes that the other server has not shown yet, by node. */
    const waiting = new Map<string, { lastSeen: string; since: number }>();
    const endsAt = performance.now() + seconds * 2000;

    const load = (url: string) =>
      runLoad({
        url: `${url}/api/mesh/ping`,
        method: 'POST',
        headers: JSON_TYPE,
        connections: 32,
        seconds: seconds * 2,
        rate: PINGS_PER_SECOND / services.length,
        nodes: setup.nodes,
      });
    const probe = async () => {
      for (let n = 0; performance.now() < endsAt; n++) {
        const id = `probe_${n % PROBES}`;
        if (!waiting.has(id)) {
          const { lastSeen } = await ping(one.url, id);
          waiting.set(id, { lastSeen, since: performance.now() });
        }
        await sleep(PROBE_EVERY_MS);
      }
    };
    const watch = async () => {
      while (
        performance.now() < endsAt ||
        (waiting.size > 0 && performance.now() < endsAt + PATIENCE_MS)
      ) {
        const { body } = await request(`${other.url}/api/mesh`);
        const { peers } = (await body.json()) as Mesh;
        for (const { id, lastSeen } of peers) {
          const found = waiting.get(id);
          if (!found || lastSeen < found.lastSeen) continue;
          waiting.delete(id);
          delays.record(Math.max(1, Math.round(performance.now() - found.since)));
        }
        await sleep(READ_EVERY_MS);
      }
    };
    const [pings] = await Promise.all([load(one.url), load(other.url), probe(), watch()]);
    return [
      figure('shown at the other p50', delays.percentile(50), 'ms'),
      figure('shown at the other p99', delays.percentile(99), 'ms', '< 1,300'),
      figure('shown at the other, slowest', delays.max, 'ms', '< 2,000'),
      figure('never shown', waiting.size, '', 'none'),
      figure('probes', delays.count, ''),
      figure('ping p99 meanwhile', pings.p99, 'ms'),
      ...problems('pings', pings),
    ];
  },
};
