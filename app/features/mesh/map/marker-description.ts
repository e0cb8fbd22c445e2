import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  PEER_STATUSES,
  type PeerStatus,
  UNKNOWN_REGION,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';
import { count, nodes, regionName } from '#app/lib/formatters.ts';
import type { LatLng } from './mercator.ts';

/** A single node, once the server has told which one it is. */
export type NamedNode = Pick<Peer, 'label' | 'lastSeen'>;

/** What is under the pointer or the keyboard's cursor. */
export type Pointed =
  | {
      kind: 'marker';
      /** Nodes by status, in the order of PEER_STATUSES. */
      byStatus: readonly number[];
      /** The class of a single node, and where it is. */
      size: NodeClass | null;
      node: LatLng | null;
      /** Regions with their nodes, those with most first. */
      regions: readonly [region: string, nodes: number][];
      /** It is of another time, of which no statuses and classes are known. */
      past?: true;
    }
  | { kind: 'genesis'; label: string; status: Genesis['status'] };

export interface MarkerDescription {
  title: string;
  /** Where it is; empty if that is unknown. */
  where: string;
  statuses: { status: PeerStatus; count: number }[];
}

/** Regions that are named; of the others only the number. */
const NAMED = 2;

/** What a marker shows, in words. @param label of its only node, if it is known */
export function describeMarker(pointed: Pointed, label?: string): MarkerDescription {
  if (pointed.kind === 'genesis')
    return {
      title: pointed.label,
      where: pointed.status === 'unknown' ? 'not checked' : pointed.status,
      statuses: [],
    };
  const { byStatus, size, regions, past } = pointed;
  const total = byStatus.reduce((sum, n) => sum + n, 0);
  const place = whereText(regions.map(([region]) => region));
  return {
    title: label ?? (size === null ? nodes(total) : `1 node, class ${size}`),
    where:
      label === undefined || size === null
        ? place
        : [`class ${size}`, place].filter(Boolean).join(', '),
    statuses: PEER_STATUSES.flatMap((status, index) => {
      const count = byStatus[index] ?? 0;
      return count > 0 && !past ? [{ status, count }] : [];
    }),
  };
}

/**
 * One sentence for screen readers: "12 nodes, Germany: 9 online, 3 offline", or "attic, class S, Germany: online, last
 * heartbeat 12 s ago".
 */
export function markerText(
  pointed: Pointed,
  node: { label: string; age: string } | null = null,
): string {
  const { title, where, statuses } = describeMarker(pointed, node?.label);
  const counts = node
    ? `${statuses[0]?.status}, last heartbeat ${node.age}`
    : statuses.map((each) => `${count(each.count)} ${each.status}`).join(', ');
  return [title, where && `, ${where}`, counts && `: ${counts}`].join('');
}

function whereText(regions: string[]): string {
  const known = regions.filter((region) => region !== UNKNOWN_REGION);
  const names = known.slice(0, NAMED).map((region) => regionName(region) ?? region);
  const more = known.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.join(' and ');
}
