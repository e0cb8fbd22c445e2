import { setTimeout as sleep } from 'node:timers/promises';
import { figure, median, type Figure } from '../figures.ts';
import type { Network } from './network.ts';
import { moment } from './progress.ts';

/** What is measured of a network, one after the other; each leaves it as whole as it found it. */
export interface Measurement {
  /** One line for --help. */
  about: string;
  /** Only where each peer has a process of its own and a session with each other one. */
  ownProcesses?: boolean;
  run(network: Network, aims: Aims): Promise<Figure[]>;
}

/** Of a network; those of another size have none. */
export type Aims = Partial<
  Record<'knowAll' | 'idle' | 'memory' | 'truth' | 'ban' | 'replication' | 'genesis', string>
>;

/** A change that follows soon is told together with the one before; this is about one that comes alone. */
const ALONE_MS = 1000;
const BLOCK_ROUNDS = 10;
const SETTLE_MS = 5000;
/** Processor time comes in hundredths of a second: 30 s tell 0.03 %. */
const IDLE_MS = 30_000;
const AWAY_MS = 1000;

/** From the start of the first peer: how long until everyone is there. */
const meeting: Measurement = {
  about: 'until all peers know all others, who know only Genesis at the start',
  async run(network, aims) {
    const { peers, startedAt } = network;
    const seconds = (moments: readonly number[]) => (Math.max(...moments) - startedAt) / 1000;
    const others = peers.length - 1;
    const known = await network.reach('all know all', peers, { known: others });
    const figures = [figure('All know all', seconds(known), 's', aims.knowAll)];
    if (network.isFullMesh) {
      const connected = await network.reach('all are connected', peers, { sessions: others });
      figures.push(figure('… and have a session with each', seconds(connected), 's'));
    }
    const cpu = sum(network.usage.cpuSeconds) - sum(network.before.cpuSeconds);
    return [...figures, figure('… processor time of a peer', cpu / peers.length, 's')];
  },
};

const idle: Measurement = {
  about: 'processor time and memory of a peer while nothing happens',
  async run(network, aims) {
    await sleep(SETTLE_MS);
    const before = network.usage.cpuSeconds;
    const since = performance.now();
    await sleep(IDLE_MS);
    const seconds = (performance.now() - since) / 1000;
    const perProcess = network.peers.length / network.processes.length;
    const { cpuSeconds, residentMb } = network.usage;
    const percents = cpuSeconds.map(
      (after, n) => ((after - (before[n] ?? NaN)) / seconds / perProcess) * 100,
    );
    const more = sum(residentMb) - sum(network.before.residentMb);
    return [
      figure('Idle, of a core: a peer', median(percents), '%', aims.idle),
      figure('… the busiest', Math.max(...percents), '%'),
      network.isFullMesh
        ? figure('Resident memory: the largest process', Math.max(...residentMb), 'MB', aims.memory)
        : figure('Resident memory: each further peer', more / network.peers.length, 'MB'),
    ];
  },
};

const truth: Measurement = {
  about: 'from Genesis until all others believe a new truth',
  async run(network, aims) {
    await sleep(ALONE_MS);
    const version = network.publisher.publishTruth([]);
    const times = await gossip(network, 'the truth is everywhere', { truth: version });
    return [
      figure('A new truth: half of the peers have it', median(times), 'ms'),
      figure('… all', Math.max(...times), 'ms', aims.truth),
    ];
  },
};

const ban: Measurement = {
  about: 'from Genesis until a peer is without any session',
  async run(network, aims) {
    const banned = network.others[Math.floor(network.others.length / 3)];
    if (!banned) throw new Error('There is nobody to ban.');
    await sleep(ALONE_MS);
    const version = network.publisher.publishTruth([banned.id]);
    network.expel(banned);
    const alone = network.reach('the banned one is alone', [banned], { sessions: 0 });
    const without = network.reach('all are without it', network.members, {
      truth: version,
      without: banned.id,
    });
    const began = await network.genesis.look();
    const times = (await Promise.all([alone, without])).flat().map((at) => at - began);
    return [figure('A ban: cut everywhere', Math.max(...times), 'ms', aims.ban)];
  },
};

const block: Measurement = {
  about: `from Genesis until all others have a small block, ${BLOCK_ROUNDS} times`,
  async run(network) {
    const slowest: number[] = [];
    for (let round = 0; round < BLOCK_ROUNDS; round++) {
      await sleep(ALONE_MS);
      const { height } = await network.publisher.publishBlocks(1, 300);
      slowest.push(Math.max(...(await gossip(network, 'the block is everywhere', { height }))));
    }
    return [
      figure('One small block at all: median', median(slowest), 'ms'),
      figure('… the slowest', Math.max(...slowest), 'ms'),
    ];
  },
};

/** Lets Genesis look at its files. @returns how long each of the others took to reach it, ms */
async function gossip(
  network: Network,
  what: string,
  target: { truth?: number; height?: number },
): Promise<number[]> {
  const reached = network.reach(what, network.others, target);
  const began = await network.genesis.look();
  return (await reached).map((at) => at - began);
}

/** How many blocks, and the bytes of the body of each. */
const BATCHES = [
  { count: 1000, bytes: 8192, name: '1,000 blocks of 8 KiB' },
  { count: 100, bytes: 250_000, name: '100 blocks of 250 kB' },
  { count: 10_000, bytes: 300, name: '10,000 blocks of 300 B' },
];
/** Where many peers are in few processes, it is their processors that are measured. */
const BATCHES_OF_MANY = [{ count: 1000, bytes: 2048, name: '1,000 blocks of 2 KiB' }];

const replication: Measurement = {
  about: 'bytes that all peers together receive, check and write in a second',
  async run(network, aims) {
    const figures: Figure[] = [];
    const all = { megabytes: 0, seconds: 0, cpu: 0 };
    const perMegabyte = (cpu: number, megabytes: number) =>
      figure('… processor time of a MB', (cpu / megabytes) * 1000, 'ms');
    for (const { count, bytes, name } of network.isFullMesh ? BATCHES : BATCHES_OF_MANY) {
      // Before the clock runs: signing them takes long.
      const published = await network.publisher.publishBlocks(count, bytes);
      const before = sum(network.usage.cpuSeconds);
      const times = await gossip(network, name, { height: published.height });
      const seconds = Math.max(...times) / 1000;
      const cpu = sum(network.usage.cpuSeconds) - before;
      const megabytes = (published.bytes * network.others.length) / 1e6;
      figures.push(
        figure(`${name} at all`, seconds, 's'),
        figure('… received in total', megabytes / seconds, 'MB/s'),
        perMegabyte(cpu, megabytes),
      );
      all.megabytes += megabytes;
      all.seconds += seconds;
      all.cpu += cpu;
    }
    const rate = all.megabytes / all.seconds;
    figures.push(figure('All blocks: received in total', rate, 'MB/s', aims.replication));
    return [...figures, perMegabyte(all.cpu, all.megabytes)];
  },
};

/** What is resident once blocks have gone through; it comes after those measurements. */
const memory: Measurement = {
  about: 'resident memory at the end',
  ownProcesses: true,
  run(network, aims): Promise<Figure[]> {
    const { residentMb } = network.usage;
    return Promise.resolve([
      figure('Resident memory at the end: median', median(residentMb), 'MB', aims.memory),
      figure('… the largest process', Math.max(...residentMb), 'MB'),
    ]);
  },
};

const killedPeer: Measurement = {
  about: 'a peer is killed (kill -9) while it writes blocks, and started again',
  ownProcesses: true,
  async run(network) {
    const peer = network.others.at(-1);
    if (!peer) throw new Error('There is nobody to kill.');
    const { height } = await network.publisher.publishBlocks(3000, 4096);
    const looking = network.genesis.look();
    await peer.reach({ height: (await peer.status).log.height + 1 });
    await peer.process.kill();
    await looking;
    const began = moment();
    await network.revive(peer);
    const { truth, log } = await peer.status;
    if (!truth) throw new Error('The killed peer has lost the truth.');
    const sessions = network.members.length - 1;
    const whole = await network.reach('the killed peer is back', [peer], { height, sessions });
    const { id } = (await network.genesis.status).log;
    if ((await peer.status).log.id !== id) throw new Error('The killed peer has another log.');
    return [
      figure('A killed peer: blocks that it kept', log.height, 'blocks'),
      figure('… all blocks and sessions again after', (Math.max(...whole) - began) / 1000, 's'),
    ];
  },
};

const killedGenesis: Measurement = {
  about: 'Genesis is killed (kill -9), and started again',
  ownProcesses: true,
  async run(network, aims) {
    const { genesis, others } = network;
    await genesis.process.kill();
    await sleep(AWAY_MS);
    const kept = await Promise.all(others.map(async (peer) => (await peer.status).sessions.length));
    const began = moment();
    await network.revive(genesis);
    const [back = NaN] = await network.reach('Genesis is back', [genesis], {
      sessions: others.length,
    });
    return [
      figure(
        'Genesis killed: sessions the others keep, fewest',
        Math.min(...kept),
        'sessions',
        `≥ ${others.length - 1}`,
      ),
      figure('… with all of them again after', (back - began) / 1000, 's', aims.genesis),
    ];
  },
};

/** In their order: idle before there is much in memory, memory when all has gone through. */
export const MEASUREMENTS = {
  meeting,
  idle,
  truth,
  ban,
  replication,
  block,
  memory,
  'killed-peer': killedPeer,
  'killed-genesis': killedGenesis,
} satisfies Record<string, Measurement>;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
