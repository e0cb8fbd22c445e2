import { fleet } from './fleet.ts';
import { pings, reads, signed } from './rates.ts';
import { replication } from './replication.ts';
import type { Scenario } from './scenario.ts';
import { lookups, reopen, streams, typed } from './viewers.ts';

/** In the order in which they run. */
export const SCENARIOS: Scenario[] = [
  pings,
  signed,
  reads,
  lookups,
  streams,
  replication,
  reopen,
  typed,
  fleet,
];
