import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { nodes } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import styles from './first-nodes.module.css';

interface FirstNodesProps {
  peers: Peer[];
  /** How many nodes match. */
  total: number;
  query: MeshQuery;
}

/**
 * In place of the map where there are no scripts: a few of the nodes, and the way to all of them. Every page carries it, so
 * states are words alone.
 */
export const FirstNodes = ({ peers, total, query }: FirstNodesProps) => (
  <section className={styles.nodes} aria-label="Nodes">
    <ul>
      {peers.map(({ id, label, status, lastSeen }) => (
        <li key={id}>
          <Link to={hrefs.node(id)}>{label}</Link>
          <span>{status}</span>
          <RelativeTime at={lastSeen} />
        </li>
      ))}
    </ul>
    {peers.length < total && (
      <p>
        <Link to={meshHref({ ...query, view: 'list', page: 1 })}>List of all {nodes(total)}</Link>
      </p>
    )}
  </section>
);
