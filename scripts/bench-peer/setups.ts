import type { Targets } from './measurements/measurement.ts';

/** A network that is measured. */
export interface Setup {
  peers: number;
  processes: number;
  /** Undefined: as many as in production. */
  outbound?: number;
  targets: Targets;
}

const TARGETS: { peers: number; processes: number; targets: Targets }[] = [
  {
    peers: 20,
    processes: 20,
    targets: {
      knowAll: { below: 6 },
      idle: { below: 3 },
      memory: { below: 110 },
      truth: { below: 1000 },
      ban: { below: 1000 },
      replication: { atLeast: 50 },
      genesis: { below: 3 },
    },
  },
  { peers: 100, processes: 4, targets: { knowAll: { below: 45 } } },
];

export const SETUPS: readonly Setup[] = TARGETS.map(({ peers, processes }) =>
  setupOf(peers, processes),
);

/** Where each peer has a process of its own, each has a session with each other one. */
export function setupOf(peers: number, processes: number): Setup {
  const known = TARGETS.find((one) => one.peers === peers && one.processes === processes);
  return {
    peers,
    processes,
    ...(processes === peers && { outbound: peers }),
    targets: known?.targets ?? {},
  };
}

export const describeSetup = ({ peers, processes }: Setup): string =>
  `${peers} peers in ${processes} process${processes > 1 ? 'es' : ''}`;
