import { presentCompute } from '#server/computes/index.ts';
import { presentPeer } from '#server/mesh/index.ts';
import { liveParts, presentEntry, type RegistryContext } from './entry.ts';

export type NameDetails = ReturnType<typeof nameDetails>;

/**
 * Everything known about one name, as of one moment. From memory, by the same rules as the lists.
 * @param name normalised
 */
export function nameDetails(context: RegistryContext, name: string, now = context.clock()) {
  const updatedAt = new Date(context.live.asOf(now)).toISOString();
  const row = context.names.active(name);
  const { peer, compute } = row ? liveParts(context, row) : {};
  return {
    updatedAt,
    /** Null if the name is not active. */
    entry: row ? presentEntry(context, row, now) : null,
    /** For the registered kinds; null if the node has never sent a heartbeat, or announced the name. */
    peer: peer ? presentPeer(peer, now) : null,
    compute: compute ? presentCompute(compute, now, context.config.computeFreshMs) : null,
  };
}
