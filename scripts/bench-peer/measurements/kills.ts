import { setTimeout as sleep } from 'node:timers/promises';
import { moment } from '../goal.ts';
import type { Network } from '../network.ts';
import { largest, row, type Measurement } from './measurement.ts';

export const killedPeer: Measurement = {
  name: 'killed-peer',
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
      row('A killed peer: blocks that it kept', log.height, 'blocks'),
      row('… all blocks and sessions again after', (largest(whole) - began) / 1000, 's'),
    ];
  },
};

const AWAY_MS = 1000;

export const killedGenesis: Measurement = {
  name: 'killed-genesis',
  about: 'Genesis is killed (kill -9), and started again',
  ownProcesses: true,
  async run(network, targets) {
    await network.genesis.process.kill();
    await sleep(AWAY_MS);
    const left = Math.min(...(await sessionsOfOthers(network)));
    const began = moment();
    await network.revive(network.genesis);
    const sessions = network.others.length;
    const back = await network.reach('Genesis is back', [network.genesis], { sessions });
    return [
      row('Genesis killed: sessions the others keep, fewest', left, 'sessions', {
        atLeast: network.others.length - 1,
      }),
      row('… with all of them again after', (largest(back) - began) / 1000, 's', targets.genesis),
    ];
  },
};

const sessionsOfOthers = async ({ others }: Network): Promise<number[]> =>
  (await Promise.all(others.map((peer) => peer.status))).map(({ sessions }) => sessions.length);
