import { Link } from '@remix-run/react';
import type { RegistrationDetails } from '#server/review/index.ts';
import { NodeStatus } from '#app/features/mesh/node-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, freeSlotsText } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import parts from '../parts.module.css';
import styles from './node-summary.module.css';

interface NodeSummaryProps {
  registration: Pick<RegistrationDetails, 'node' | 'nodeId' | 'name'>;
  /** The last moment known (ms), while the service can't be reached. */
  asOf: number | null;
}

/** A registration's node at this moment, and its compute offers. */
export function NodeSummary({ registration, asOf }: NodeSummaryProps) {
  const { peer, reportedStatus, blocked } = registration.node;
  if (blocked)
    return (
      <div>
        <p>
          <Status status="offline" word="blocked" />
        </p>
        <p className={text.secondary}>
          Its heartbeats are rejected, so an accepted name would show no activity.{' '}
          <Link to={hrefs.review.nodes()}>View blocked nodes</Link>
        </p>
      </div>
    );
  return (
    <div>
      <p>
        {peer && reportedStatus ? (
          <NodeStatus peer={peer} reportedStatus={reportedStatus} asOf={asOf} />
        ) : (
          <Status status="offline" word="no heartbeat received" />
        )}
      </p>
      <ComputeOffers {...registration} />
    </div>
  );
}

/** A node with more compute offers than this shows only these, with the one of this name among them. */
const COMPUTES_SHOWN = 8;

function ComputeOffers({ node, nodeId, name }: NodeSummaryProps['registration']) {
  if (node.computes.length === 0)
    return <p className={text.secondary}>No compute offers announced.</p>;
  const computes = [...node.computes].sort(
    (a, b) => Number(b.name === name) - Number(a.name === name),
  );
  const more = computes.length - COMPUTES_SHOWN;
  return (
    <ul className={styles.computes}>
      {computes.slice(0, COMPUTES_SHOWN).map((compute) => (
        <li key={compute.name} className={parts.wrapped}>
          <code>{compute.name}</code> <Status status={compute.status} />{' '}
          <span className={text.secondary}>
            {freeSlotsText(compute.freeSlots)}
            {compute.status === 'offline' && ' when last seen'}
            {compute.name === name && ', this name'}
          </span>
        </li>
      ))}
      {more > 0 && (
        <li className={`${parts.wrapped} ${text.secondary}`}>
          {count(more)} more: <Link to={hrefs.node(nodeId)}>View node</Link>
        </li>
      )}
    </ul>
  );
}
