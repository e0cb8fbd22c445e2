import type { Facets } from '#server/mesh/mesh-query.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { byCount } from '#app/lib/formatters.ts';

/** The regions with most nodes first; the chosen one even if no node is left in it. */
export function regionChoices({ region }: Facets, chosen: string | null): [string, number][] {
  const regions = byCount(region);
  if (chosen !== null && !(chosen in region)) regions.push([chosen, 0]);
  return regions;
}

/** Adds the status to those that are shown, or removes it; always in the same order. */
export const toggledStatus = (chosen: readonly PeerStatus[], status: PeerStatus): PeerStatus[] =>
  PEER_STATUSES.filter((other) => chosen.includes(other) !== (other === status));
