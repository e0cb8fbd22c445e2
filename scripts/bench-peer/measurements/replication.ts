import type { Network } from '../network.ts';
import type { Row } from '../row.ts';
import { largest, row, type Measurement } from './measurement.ts';

interface Load {
  count: number;
  /** Of the body of each block. */
  bytes: number;
  name: string;
}

const LOADS: Load[] = [
  { count: 1000, bytes: 8192, name: '1,000 blocks of 8 KiB' },
  { count: 100, bytes: 250_000, name: '100 blocks of 250 kB' },
  { count: 10_000, bytes: 300, name: '10,000 blocks of 300 B' },
];
/** Where many peers are in few processes, it is their processors that are measured. */
const LOADS_OF_MANY: Load[] = [{ count: 1000, bytes: 2048, name: '1,000 blocks of 2 KiB' }];

export const replication: Measurement = {
  name: 'replication',
  about: 'bytes that all peers together receive, check and write in a second',
  async run(network, targets) {
    const rows: Row[] = [];
    let megabytes = 0;
    let seconds = 0;
    let cpu = 0;
    for (const { count, bytes, name } of network.isFullMesh ? LOADS : LOADS_OF_MANY) {
      // Before the clock runs: signing them takes long.
      const published = await network.publisher.publishBlocks(count, bytes);
      const { height } = published;
      const cpuBefore = cpuSeconds(network);
      const reached = network.reach(name, network.others, { height });
      const began = await network.genesis.look();
      const took = (largest(await reached) - began) / 1000;
      const used = cpuSeconds(network) - cpuBefore;
      const received = (published.bytes * network.others.length) / 1e6;
      rows.push(row(`${name} at all`, took, 's'));
      rows.push(row('… received in total', received / took, 'MB/s'));
      rows.push(perMegabyte(used, received));
      megabytes += received;
      seconds += took;
      cpu += used;
    }
    rows.push(
      row('All blocks: received in total', megabytes / seconds, 'MB/s', targets.replication),
      perMegabyte(cpu, megabytes),
    );
    return rows;
  },
};

const perMegabyte = (cpu: number, megabytes: number): Row =>
  row('… processor time of a MB', Number.isNaN(cpu) ? null : (cpu / megabytes) * 1000, 'ms');

/** Of all processes; NaN where the system does not say. */
const cpuSeconds = ({ processes }: Network): number =>
  processes.reduce((sum, { usage }) => sum + (usage?.cpuSeconds ?? NaN), 0);
