import type { Network } from '../network.ts';
import { largest, row, type Measurement } from './measurement.ts';

/** From the start of the first peer: how long until everyone is there. */
export const meeting: Measurement = {
  name: 'meeting',
  about: 'until all peers know all others, who know only Genesis at the start',
  async run(network, targets) {
    const { peers, startedAt } = network;
    const seconds = (moments: readonly number[]) => (largest(moments) - startedAt) / 1000;
    const others = peers.length - 1;
    const known = await network.reach('all know all', peers, { known: others });
    const rows = [row('All know all', seconds(known), 's', targets.knowAll)];
    if (network.isFullMesh) {
      const connected = await network.reach('all are connected', peers, { sessions: others });
      rows.push(row('… and have a session with each', seconds(connected), 's'));
    }
    return [...rows, row('… processor time of a peer', cpuSeconds(network), 's')];
  },
};

/** Without what each process took before its first peer; null where the system does not say. */
function cpuSeconds({ processes, usageBefore, peers }: Network): number | null {
  const cpu = processes.reduce(
    (sum, { usage }, n) => sum + (usage?.cpuSeconds ?? NaN) - (usageBefore[n]?.cpuSeconds ?? NaN),
    0,
  );
  return Number.isNaN(cpu) ? null : cpu / peers.length;
}
