import {
  NODE_FIELDS,
  NODE_FIELD_NAMES,
  type NodeFieldName,
  Peer,
  type Ping,
  quantize,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  OFFLINE_AFTER_MS,
  recordFrom,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import type { PeerRow, peers } from '#db/schema/index.ts';
import {
  first,
  latest,
  replace,
  replaceUnlessNull,
  type Merge,
  type Merges,
  type RowWrite,
} from '#server/live/index.ts';
import { regionAt } from './regions.ts';

/** The row of a node: what a heartbeat writes, how it merges with the stored one, and what is shown of it. */

/** A heartbeat to be stored: coordinates quantized, label cleaned. Null keeps the stored value. */
export type PingWrite = RowWrite<typeof peers>;

const MERGES = { keep: replaceUnlessNull, replace } satisfies Record<string, Merge>;

export const PEER_MERGES: Merges<typeof peers> = {
  ...recordFrom(NODE_FIELD_NAMES, (name) => MERGES[NODE_FIELDS[name].merge]),
  lat: replace,
  lng: replace,
  joinedAt: first,
  lastSeen: latest,
};

/** Every field, and what is written of it when it is not sent. */
const WRITTEN = NODE_FIELD_NAMES.map((name) => {
  const { merge, otherwise } = NODE_FIELDS[name];
  const unsent: (id: string) => string | null = merge === 'keep' ? () => null : otherwise;
  return { name, unsent };
});

/** What a heartbeat writes that came at `at`. @param grid in degrees */
export function pingWrite(ping: Ping, at: Date, grid: number): PingWrite {
  const { lat, lng } = quantize(ping.lat, ping.lng, grid);
  const write: Partial<PingWrite> = { id: ping.nodeId, lat, lng, joinedAt: at, lastSeen: at };
  const fields = write as Record<NodeFieldName, string | null>;
  for (const { name, unsent } of WRITTEN) fields[name] = ping[name] ?? unsent(ping.nodeId);
  return write as PingWrite;
}

/** The status at `now` (ms): as reported, or offline once the last heartbeat is more than 60 s old. */
export function peerStatus(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): PeerStatus {
  return now - row.lastSeen.getTime() > OFFLINE_AFTER_MS ? 'offline' : row.status;
}

/** The last moment (ms) at which the row still has the status that it has at `now`. */
export function peerStatusUntil(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): number {
  const lastMoment = row.lastSeen.getTime() + OFFLINE_AFTER_MS;
  return row.status === 'offline' || now > lastMoment ? Infinity : lastMoment;
}

/** What a node last said of one field, or what it is otherwise. The region follows from its place then. */
export const shownLabel = ({ id, label }: Pick<PeerRow, 'id' | 'label'>) =>
  label ?? NODE_FIELDS.label.otherwise(id);
export const shownClass = (row: Pick<PeerRow, 'class'>) =>
  row.class ?? NODE_FIELDS.class.otherwise();
/** @param grid the coordinate grid, degrees */
export const shownRegion = (
  { region, lat, lng }: Pick<PeerRow, 'region' | 'lat' | 'lng'>,
  grid: number,
) => region ?? regionAt(lat, lng, grid);

/** The keys of a peer in the order of the wire: copying them is faster than adding one after the other. */
const PEER = Object.fromEntries(Object.keys(Peer.shape).map((key) => [key, ''])) as unknown as Peer;
const SHOWN = NODE_FIELD_NAMES.map((name) => ({ name, otherwise: NODE_FIELDS[name].otherwise }));

/** A peer as answers show it at `now` (ms), with defaults for what its node never sent. @param grid in degrees */
export function presentPeer(row: PingWrite, now: number, grid: number): Peer {
  const peer = { ...PEER };
  const fields = peer as Record<NodeFieldName, string>;
  peer.id = row.id;
  for (const { name, otherwise } of SHOWN) fields[name] = row[name] ?? otherwise(row.id);
  peer.region = row.region ?? regionAt(row.lat, row.lng, grid);
  peer.status = peerStatus(row, now);
  peer.role = 'peer';
  peer.joinedAt = row.joinedAt.toISOString();
  peer.lastSeen = row.lastSeen.toISOString();
  peer.lat = row.lat;
  peer.lng = row.lng;
  return peer;
}
