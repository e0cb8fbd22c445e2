import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/report.ts';
import { largest, row, type Measurement } from './measurement.ts';

/** What follows soon is told together: this is about news that comes alone. */
const PAUSE_MS = 1000;

export const truth: Measurement = {
  name: 'truth',
  about: 'from Genesis until all others believe a new truth',
  async run(network, targets) {
    await sleep(PAUSE_MS);
    const version = network.publisher.publishTruth([]);
    const reached = network.reach('the truth is everywhere', network.others, { truth: version });
    const began = await network.genesis.look();
    const times = (await reached).map((at) => at - began);
    return [
      row('A new truth: half of the peers have it', median(times), 'ms'),
      row('… all', largest(times), 'ms', targets.truth),
    ];
  },
};

export const ban: Measurement = {
  name: 'ban',
  about: 'from Genesis until a peer is without any session',
  async run(network, targets) {
    const banned = network.others[Math.floor(network.others.length / 3)];
    if (!banned) throw new Error('There is nobody to ban.');
    await sleep(PAUSE_MS);
    const version = network.publisher.publishTruth([banned.id]);
    network.expel(banned);
    const alone = network.reach('the banned one is alone', [banned], { sessions: 0 });
    const without = network.reach('all are without it', network.members, {
      truth: version,
      without: banned.id,
    });
    const began = await network.genesis.look();
    const times = (await Promise.all([alone, without])).flat().map((at) => at - began);
    return [row('A ban: cut everywhere', largest(times), 'ms', targets.ban)];
  },
};

const ROUNDS = 10;

export const block: Measurement = {
  name: 'block',
  about: `from Genesis until all others have a small block, ${ROUNDS} times`,
  async run(network) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(PAUSE_MS);
      const { height } = await network.publisher.publishBlocks(1, 300);
      const reached = network.reach('the block is everywhere', network.others, { height });
      const began = await network.genesis.look();
      times.push(largest(await reached) - began);
    }
    return [
      row('One small block at all: median', median(times), 'ms'),
      row('… the slowest', largest(times), 'ms'),
    ];
  },
};
