import { useState } from 'react';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';

/** How many checks the line shows: those of ten minutes. */
export const CHECKS = 60;

/** How long each check of Genesis took, ms, the oldest first; null: it failed. */
export type Latencies = readonly (number | null)[];

/** The checks with the one that Genesis' health is of. */
export const withCheck = (
  checks: Latencies,
  { status, latencyMs }: Pick<Genesis, 'status' | 'latencyMs'>,
): Latencies => [...checks, status === 'online' ? latencyMs : null].slice(-CHECKS);

/** As long as a full line: a service that has just started has the first checks at its end. */
export const checksAtEnd = (checks: Latencies): Latencies => [
  ...Array<null>(Math.max(0, CHECKS - checks.length)).fill(null),
  ...checks,
];

/**
 * The last checks of Genesis, followed by the stream that the page has anyway.
 * @param loaded as the server rendered the page
 */
export function useGenesisChecks(loaded: Latencies, genesis: Genesis): Latencies {
  const { checkedAt } = genesis;
  const [known, setKnown] = useState({ checkedAt, checks: loaded });
  if (known.checkedAt === checkedAt) return known.checks;
  const checks = withCheck(known.checks, genesis);
  setKnown({ checkedAt, checks });
  return checks;
}
