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

/** A node's status. It follows the clock by the server's rule, so that it is right between two heartbeats. */
export function useNodeStatus({ peer, reportedStatus, asOf }: NodeStatusProps): PeerStatus {
  const offlineAt = Date.parse(peer.lastSeen) + OFFLINE_AFTER_MS;
  return useTextAt((now) => ((asOf ?? now) > offlineAt ? 'offline' : reportedStatus)) as PeerStatus;
}

/** A node's status with the reason for it. */
export function NodeStatus(props: NodeStatusProps) {
  const status = useNodeStatus(props);
  return (
    <>
      <Status status={status} />
      <span className={text.remark}>
        <StatusReason {...props} />
      </span>
    </>
  );
}

const MEANING: Partial<Record<PeerStatus, string>> = {
  syncing: 'It is up and catching up with the network. ',
  idle: 'It is up, but not working. ',
};

/** Why a node has its status, and what will change it. */
export function StatusReason(props: NodeStatusProps) {
  const { peer, reportedStatus, asOf } = props;
  const status = useNodeStatus(props);
  const lastSeen = Date.parse(peer.lastSeen);
  const age = useTextAt((now) => ago(lastSeen, asOf ?? now));
  const secondsLeft = useTextAt((now) =>
    String(Math.max(1, Math.ceil((lastSeen + OFFLINE_AFTER_MS - (asOf ?? now)) / 1000))),
  );
  if (reportedStatus === 'offline')
    return <>It reported itself offline in its last heartbeat, {age}.</>;
  if (status === 'offline')
    return (
      <>
        No heartbeat since <ExactTime at={peer.lastSeen} precision="minute" />,{' '}
        {age.replace(' ago', '')}.
      </>
    );
  return (
    <>
      {MEANING[status]}Last heartbeat {age}. Without another, it goes offline in {secondsLeft} s.
    </>
  );
}
