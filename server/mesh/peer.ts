import type { PeerRow } from '#db/schema/index.ts';
import {
  OFFLINE_AFTER_MS,
  type PeerStatus,
  UNKNOWN_REGION,
} from '@mesh-registry/protocol/values.schema.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';

/** The status at `now` (ms): as reported, or offline once the last heartbeat is more than 60 s old. */
export function peerStatus(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): PeerStatus {
  return now - row.lastSeen.getTime() > OFFLINE_AFTER_MS ? 'offline' : row.status;
}

/** The last moment (ms) at which the row still has the status that it has at `now`. */
export function peerStatusUntil(row: Pick<PeerRow, 'status' | 'lastSeen'>, now: number): number {
  const lastMoment = row.lastSeen.getTime() + OFFLINE_AFTER_MS;
  return row.status === 'offline' || now > lastMoment ? Infinity : lastMoment;
}

/** A peer as answers show it at `now` (ms), with defaults for what its node never sent. */
export function presentPeer(row: PeerRow, now: number): Peer {
  return {
    id: row.id,
    label: row.label ?? row.id,
    class: row.class ?? 'S',
    region: row.region ?? UNKNOWN_REGION,
    status: peerStatus(row, now),
    role: 'peer',
    joinedAt: row.joinedAt.toISOString(),
    lastSeen: row.lastSeen.toISOString(),
    lat: row.lat,
    lng: row.lng,
  };
}
