import {
  NODE_CLASSES,
  type NodeClass,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';

/**
 * The network by place: what the map draws. Server and browser share this code.
 *
 * A place is a point of the coordinate grid within one region. Its nodes are counted by cell, one for each pair of
 * status and class.
 */
export interface Place {
  /** The id that {@link placeId} makes of the next three. */
  id: string;
  lat: number;
  lng: number;
  region: string;
  /** Nodes by cell, in the order of {@link CELLS}. */
  counts: readonly number[];
}

/** The cells in their order: online S, online M, online L, syncing S and so on. */
export const CELLS: readonly { status: PeerStatus; class: NodeClass }[] = PEER_STATUSES.flatMap(
  (status) => NODE_CLASSES.map((size) => ({ status, class: size })),
);

/** The number of a cell, from 0 to 11. */
export const cellOf = (status: PeerStatus, size: NodeClass): number =>
  PEER_STATUSES.indexOf(status) * NODE_CLASSES.length + NODE_CLASSES.indexOf(size);

/** No region contains a comma. */
export const placeId = ({ lat, lng, region }: Pick<Place, 'lat' | 'lng' | 'region'>): string =>
  `${lat},${lng},${region}`;

/**
 * A place as it is sent: latitude, longitude, region, then the counts of its cells, without the zeros at the end.
 * `[48,11.5,"EU",12,0,0,3]` has 12 nodes that are online and of class S, and 3 that are syncing and of class S.
 */
export type PlaceTuple = [lat: number, lng: number, region: string, ...counts: number[]];

export function placeTuple({ lat, lng, region, counts }: Place): PlaceTuple {
  let cells = counts.length;
  while (cells > 0 && counts[cells - 1] === 0) cells--;
  return [lat, lng, region, ...counts.slice(0, cells)];
}

export function readPlace([lat, lng, region, ...counts]: PlaceTuple): Place {
  while (counts.length < CELLS.length) counts.push(0);
  return { id: placeId({ lat, lng, region }), lat, lng, region, counts };
}

/** A node that was heard from: its place, its cell, and its label if this was its first heartbeat. */
export type PulseTuple = [lat: number, lng: number, region: string, cell: number, joined?: string];

/** Most pulses in one change. */
export const PULSES_MAX = 8;
