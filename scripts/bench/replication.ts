import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'hdr-histogram-js';
import { request } from 'undici';
import { figure } from '../figures.ts';
import { heartbeats, problems, type Scenario } from './scenario.ts';
import { ping } from './service.ts';

const PINGS_PER_SECOND = 2000;
/** So exactly is it known when a probe arrives. */
const READ_EVERY_MS = 50;
const PROBE_EVERY_MS = 25;
const PROBES = 200;
/** After this a probe counts as lost. */
const PATIENCE_MS = 10_000;

export const replication: Scenario = {
  about: `from the answer of one server until another server's list shows it, at ${PINGS_PER_SECOND} pings a second`,
  nodes: 1000,
  servers: 2,
  async run({ services, nodes, seconds }) {
    const [one, other] = services;
    if (!one || !other) throw new Error('Replication takes two servers.');
    const delays = build();
    /** Answered probes that the other server has not shown yet, by node. */
    const waiting = new Map<string, { lastSeen: string; since: number }>();
    const endsAt = performance.now() + seconds * 2000;

    const probe = async () => {
      for (let n = 0; performance.now() < endsAt; n++) {
        const id = `probe_${n % PROBES}`;
        if (!waiting.has(id)) {
          const lastSeen = await ping(one.url, id);
          waiting.set(id, { lastSeen, since: performance.now() });
        }
        await sleep(PROBE_EVERY_MS);
      }
    };
    const watch = async () => {
      const isOpen = () => performance.now() < endsAt + (waiting.size > 0 ? PATIENCE_MS : 0);
      while (isOpen()) {
        const { body } = await request(`${other.url}/api/mesh`);
        const { peers } = (await body.json()) as { peers: { id: string; lastSeen: string }[] };
        for (const { id, lastSeen } of peers) {
          const found = waiting.get(id);
          if (!found || lastSeen < found.lastSeen) continue;
          waiting.delete(id);
          delays.recordValue(Math.max(1, Math.round(performance.now() - found.since)));
        }
        await sleep(READ_EVERY_MS);
      }
    };
    const rate = PINGS_PER_SECOND / services.length;
    const load = { connections: 32, seconds: seconds * 2, rate, nodes };
    const [pings] = await Promise.all([
      heartbeats(one, load),
      heartbeats(other, load),
      probe(),
      watch(),
    ]);
    return [
      figure('shown at the other p50', delays.getValueAtPercentile(50), 'ms'),
      figure('shown at the other p99', delays.getValueAtPercentile(99), 'ms', '< 1,300'),
      figure('shown at the other, slowest', delays.maxValue, 'ms', '< 2,000'),
      figure('never shown', waiting.size, '', 'none'),
      figure('ping p99 meanwhile', pings.p99, 'ms'),
      ...problems('pings', pings),
    ];
  },
};
