import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/report.ts';
import type { Network } from '../network.ts';
import type { Row } from '../row.ts';
import { row, type Measurement } from './measurement.ts';

const SETTLE_MS = 5000;
/** Processor time comes in hundredths of a second: 30 s tell 0.03 %. */
const IDLE_MS = 30_000;

export const idle: Measurement = {
  name: 'idle',
  about: 'processor time and memory of a peer while nothing happens',
  async run(network, { idle: idleTarget, memory }) {
    await sleep(SETTLE_MS);
    const before = cpuSeconds(network);
    const since = performance.now();
    await sleep(IDLE_MS);
    const seconds = (performance.now() - since) / 1000;
    const perProcess = network.peers.length / network.processes.length;
    const percents = cpuSeconds(network).map((cpu, i) =>
      cpu === null ? null : ((cpu - (before[i] ?? 0)) / seconds / perProcess) * 100,
    );
    return [
      row('Idle, of a core: a peer', median(percents), '%', idleTarget),
      row('… the busiest', most(percents), '%'),
      ...(network.isFullMesh
        ? [row('Resident memory: the largest process', most(residentMb(network)), 'MB', memory)]
        : [row('Resident memory: each further peer', perFurtherPeer(network), 'MB')]),
    ];
  },
};

/** What is resident once blocks have gone through; call it after those measurements. */
export const memory: Measurement = {
  name: 'memory',
  about: 'resident memory at the end',
  ownProcesses: true,
  run(network, targets): Promise<Row[]> {
    const resident = residentMb(network);
    return Promise.resolve([
      row('Resident memory at the end: median', median(resident), 'MB', targets.memory),
      row('… the largest process', most(resident), 'MB'),
    ]);
  },
};

const cpuSeconds = ({ processes }: Network) =>
  processes.map(({ usage }) => usage?.cpuSeconds ?? null);
const residentMb = ({ processes }: Network) =>
  processes.map(({ usage }) => usage?.residentMb ?? null);

function perFurtherPeer(network: Network): number | null {
  const sum = (values: (number | null)[]) => values.reduce((a, b) => (a ?? NaN) + (b ?? NaN), 0);
  const before = sum(network.usageBefore.map((usage) => usage?.residentMb ?? null));
  const more = (sum(residentMb(network)) ?? NaN) - (before ?? NaN);
  return Number.isNaN(more) ? null : more / network.peers.length;
}

function most(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}
