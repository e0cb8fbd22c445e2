import type { Network } from '../network.ts';
import type { Row, Target } from '../row.ts';

/** What is measured of a network, one after the other; each leaves it as whole as it found it. */
export interface Measurement {
  name: string;
  /** One line for --help. */
  about: string;
  /** Only where each peer has a process of its own and a session with each other one. */
  ownProcesses?: boolean;
  run(network: Network, targets: Targets): Promise<Row[]>;
}

/** Of a setup: others have none. */
export interface Targets {
  knowAll?: Target;
  idle?: Target;
  memory?: Target;
  truth?: Target;
  ban?: Target;
  replication?: Target;
  genesis?: Target;
}

/** A row, with its target if there is one. */
export const row = (
  name: string,
  value: number | null,
  unit: Row['unit'],
  target?: Target,
): Row => ({
  name,
  value,
  unit,
  ...(target && { target }),
});

export const largest = (values: readonly number[]): number => Math.max(...values);
