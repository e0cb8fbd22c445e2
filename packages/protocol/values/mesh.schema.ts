export const PEER_STATUSES = ['online', 'syncing', 'idle', 'offline'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

/** A peer is offline once its last heartbeat is older than this (milliseconds). Fixed, not configurable. */
export const OFFLINE_AFTER_MS = 60_000;

/** How long a node should wait between two heartbeats, milliseconds. */
export const NEXT_PING_MS = 20_000;

/** Largest body of a heartbeat, bytes. */
export const PING_BODY_BYTES = 4096;
