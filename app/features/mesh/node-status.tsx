import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { OFFLINE_AFTER_MS, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { ago, useTextAt } from '#app/lib/clock.ts';
import { ExactTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';

export interface NodeStatusProps {
  peer: Peer;
  /** The status in its last heartbeat. */
  reportedStatus: PeerStatus;
  /** The time of the data while the service can't be reached (ms); null while it can. */
  asOf: number | null;
}

/**
 * A node's status with the reason for it. Both follow the clock by the server's rule, so that they are right
 * between two heartbeats.
 */
export function NodeStatus({ peer, reportedStatus, asOf }: NodeStatusProps) {
  const lastSeen = Date.parse(peer.lastSeen);
  const offlineAt = lastSeen + OFFLINE_AFTER_MS;
  const statusAt = (now: number) => (now > offlineAt ? 'offline' : reportedStatus);
  const status = useTextAt((now) => statusAt(asOf ?? now)) as PeerStatus;
  const age = useTextAt((now) => ago(lastSeen, asOf ?? now));
  const secondsLeft = useTextAt((now) =>
    String(Math.max(1, Math.ceil((offlineAt - (asOf ?? now)) / 1000))),
  );
  return (
    <>
      <Status status={status} />
      <span className={text.remark}>
        {reportedStatus === 'offline' ? (
          <>It reported itself offline in its last heartbeat, {age}.</>
        ) : status === 'offline' ? (
          <>
            No heartbeat for {age.replace(' ago', '')}. Offline since{' '}
            <ExactTime at={new Date(offlineAt).toISOString()} />.
          </>
        ) : (
          <>
            Last heartbeat {age}. Goes offline in {secondsLeft} s without another one.
          </>
        )}
      </span>
    </>
  );
}
