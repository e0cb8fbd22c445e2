import { isReservedNodeId } from '#server/common/fields.schema.ts';
import type { AnnouncedRow, Compute } from '#server/computes/computes.schema.ts';
import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import type { RegistryEntry } from './registry.schema.ts';
import type { PeerStatus } from '#server/common/values.schema.ts';
import { presentCompute, type ComputesView } from '#server/computes/computes.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { presentGenesis, presentPeer } from '#server/mesh/mesh.ts';
import type { NameIndex } from './name-index.ts';
import { liveParts, presentEntry } from './view.ts';

/**
 * One name and one node with all that is known of them. Everything in an answer is of the same moment
 * and by the same rules as the lists, and nothing asks the database.
 */

export interface NameDetails {
  updatedAt: string;
  /** Null where the name is not active. */
  entry: RegistryEntry | null;
  /** Of the registered kinds; null where the node has not sent a heartbeat, or announced the name. */
  peer: Peer | null;
  compute: Compute | null;
}

/** @param name normalised */
export function nameDetails(
  s: ServiceContext & { names: NameIndex },
  name: string,
  now: number,
): NameDetails {
  const updatedAt = new Date(s.live.asOf(now)).toISOString();
  const row = s.names.active(name);
  if (!row) return { updatedAt, entry: null, peer: null, compute: null };
  const { peer, compute } = liveParts(s, row);
  return {
    updatedAt,
    entry: presentEntry(s, row, now),
    peer: peer ? presentPeer(peer, now) : null,
    compute: compute ? presentCompute(compute, now, s.config.computeFreshMs) : null,
  };
}

/**
 * A compute on the page of its node: whether it is there and listed. The directory alone tells what runs
 * in it, and only once it is listed.
 */
export type NodeCompute = Pick<
  AnnouncedRow,
  'name' | 'status' | 'replicas' | 'freeSlots' | 'lastSeen' | 'listed' | 'reason'
>;

export interface NodeDetails {
  updatedAt: string;
  /** The bootstrap peer, where it is asked for. */
  genesis: Genesis | null;
  /** True of a node that reviewers have blocked: nothing that it sent is shown. */
  blocked: boolean;
  /** Null where the node has never sent a heartbeat. */
  peer: Peer | null;
  /** The status that its last heartbeat said, which time does not change. */
  said: PeerStatus | null;
  /** All that it announced, by name. A node may announce computes and never send a heartbeat. */
  computes: NodeCompute[];
  /** Active names whose registration names this node, by name. */
  names: RegistryEntry[];
}

/** @param id as asked: any text, also one that no node can have */
export function nodeDetails(
  s: ServiceContext & { names: NameIndex },
  computes: ComputesView,
  id: string,
  now: number,
): NodeDetails {
  const blocked = s.live.isBlocked(id);
  const row = blocked ? undefined : s.live.peers.get(id);
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    genesis: isReservedNodeId(id) ? presentGenesis(s) : null,
    blocked,
    peer: row ? presentPeer(row, now) : null,
    said: row?.status ?? null,
    computes: (blocked ? [] : computes.ofNode(id, now)).map(
      ({ name, status, replicas, freeSlots, lastSeen, listed, reason }) => {
        return { name, status, replicas, freeSlots, lastSeen, listed, reason };
      },
    ),
    names: [...s.names.ofNode(id)]
      .sort()
      .flatMap((name) => s.names.active(name) ?? [])
      .map((registration) => presentEntry(s, registration, now)),
  };
}
