import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { presentCompute } from '#server/computes/index.ts';
import { presentPeer } from '#server/mesh/index.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { liveParts, presentEntry, type RegistryContext } from './entry.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';

/** Everything known about one name, as of one moment. */
export interface NameDetails {
  updatedAt: string;
  /** Null if the name is not active. */
  entry: RegistryEntry | null;
  /** For the registered kinds; null if the node has never sent a heartbeat, or announced the name. */
  peer: Peer | null;
  compute: Compute | null;
}

/**
 * From memory, by the same rules as the lists.
 * @param name normalised
 */
export function nameDetails(
  context: RegistryContext,
  name: string,
  now = context.clock(),
): NameDetails {
  const updatedAt = new Date(context.live.asOf(now)).toISOString();
  const row = context.names.active(name);
  if (!row) return { updatedAt, entry: null, peer: null, compute: null };
  const { peer, compute } = liveParts(context, row);
  return {
    updatedAt,
    entry: presentEntry(context, row, now),
    peer: peer ? presentPeer(peer, now) : null,
    compute: compute ? presentCompute(compute, now, context.config.computeFreshMs) : null,
  };
}
