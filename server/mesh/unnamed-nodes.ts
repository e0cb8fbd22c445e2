import type { PeerRow } from '#server/live/read-model.ts';
import { UNKNOWN_REGION, type NodeClass, type PeerStatus } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { peerStatus, presentPeer } from './mesh.ts';
import type { NameIndex } from '#server/registry/name-index.ts';

/** Nodes offered at once. */
const LIMIT = 20;

export interface UnnamedNode {
  id: string;
  label: string;
  class: NodeClass;
  region: string;
  status: PeerStatus;
  joinedAt: string;
}

export interface UnnamedNodes {
  /** How many there are that fit the search. */
  total: number;
  /** At most 20 of them: those that joined last come first. */
  nodes: UnnamedNode[];
  /** Regions of all peers, the most frequent first; not the unknown one. */
  regions: string[];
}

/**
 * Nodes that ping now and that nobody has named, nor is naming: one of them is the operator's own, most
 * likely the one that came last. From memory: looks at every peer and registration once, some 5 ms for
 * 10,000 of each.
 * @param q part of an id or a label, in any case of letters; empty: all
 */
export function unnamedNodes(
  s: ServiceContext & { names: NameIndex },
  q: string,
  now: number,
): UnnamedNodes {
  const pending = new Set<string>();
  for (const { status, nodeId } of s.live.registrations.rows())
    if (status === 'pending_payment' || status === 'pending_review') pending.add(nodeId);
  const text = q.toLowerCase();
  const regions = new Map<string, number>();
  const found: PeerRow[] = [];
  for (const row of s.live.peers.rows()) {
    if (row.region !== null && row.region !== UNKNOWN_REGION)
      regions.set(row.region, (regions.get(row.region) ?? 0) + 1);
    if (peerStatus(row, now) === 'offline' || s.live.isBlocked(row.id)) continue;
    if (pending.has(row.id) || s.names.ofNode(row.id).size > 0) continue;
    if (row.id.toLowerCase().includes(text) || row.label?.toLowerCase().includes(text))
      found.push(row);
  }
  found.sort((a, b) => b.joinedAt.getTime() - a.joinedAt.getTime() || (a.id < b.id ? -1 : 1));
  return {
    total: found.length,
    nodes: found.slice(0, LIMIT).map((row) => {
      const { id, label, class: size, region, status, joinedAt } = presentPeer(row, now);
      return { id, label, class: size, region, status, joinedAt };
    }),
    regions: [...regions]
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([region]) => region),
  };
}
