import type { Peer } from '#server/mesh/mesh.schema.ts';
import { OFFLINE_AFTER_MS, type PeerStatus } from '#server/mesh/values.schema.ts';
import { ago, exact, useTextAt } from '#app/lib/clock.ts';
import { Status } from '#app/ui/status-icon.tsx';

export interface NodeStatusProps {
  peer: Peer;
  /** The status in its last heartbeat. */
  reportedStatus: PeerStatus;
  /** The last moment known (ms), where the server cannot be reached: nothing is known of later ones. */
  asOf: number | null;
}

/** A node's status with the reason for it. Both follow the clock by the server's own rule, heartbeat or not. */
export function NodeStatus({ peer, reportedStatus, asOf }: NodeStatusProps) {
  const lastSeen = Date.parse(peer.lastSeen);
  const status = useTextAt((now) => statusAt(lastSeen, reportedStatus, asOf ?? now)) as PeerStatus;
  const reason = useTextAt((now) => reasonAt(lastSeen, reportedStatus, asOf ?? now));
  return (
    <>
      <Status status={status} size={peer.class} />
      <span className="reason">{reason}</span>
    </>
  );
}

const isSilent = (lastSeen: number, now: number) => now - lastSeen > OFFLINE_AFTER_MS;

const statusAt = (lastSeen: number, reportedStatus: PeerStatus, now: number): PeerStatus =>
  isSilent(lastSeen, now) ? 'offline' : reportedStatus;

function reasonAt(lastSeen: number, reportedStatus: PeerStatus, now: number): string {
  const heartbeat = ago(lastSeen, now);
  if (reportedStatus === 'offline') return `It said so itself, in its last heartbeat ${heartbeat}.`;
  const limit = lastSeen + OFFLINE_AFTER_MS;
  if (isSilent(lastSeen, now)) {
    const silence = heartbeat.replace(' ago', '');
    const since = exact(new Date(limit).toISOString());
    return `No heartbeat for ${silence}, so it counts as offline since ${since}.`;
  }
  const left = Math.max(1, Math.ceil((limit - now) / 1000));
  return `Last heartbeat ${heartbeat}. Without another one it counts as offline in ${left} s.`;
}
