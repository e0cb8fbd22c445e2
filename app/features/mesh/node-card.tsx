import { useEffect, useRef } from 'react';
import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { coordinates, count, nodes } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { GenesisIcon, Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-card.module.css';
import { GenesisFacts, PeerFacts } from './node-facts.tsx';
import { FOCUS_CARD, nodeOnMap } from './use-selection.ts';

export interface NodeCardProps {
  query: MeshQuery;
  /** The selected nodes, or the first of them: none if the id is unknown. */
  peers: Peer[];
  /** How many nodes are selected. */
  total: number;
  /** Shows more of them; undefined if all are here. */
  showMore: (() => void) | undefined;
  /** They are not known yet. */
  loading: boolean;
  /** Genesis, if it is selected. */
  genesis: Genesis | null;
  /** Whether the location of Genesis is known. */
  genesisPlaced: boolean;
  /** Moves the focus to the card: the selection was made outside the map. */
  takeFocus: boolean;
  onClose: () => void;
}

/** What is selected: one node, Genesis, or all nodes at one grid point. */
export function NodeCard(props: NodeCardProps) {
  const { peers, total, loading, genesis, genesisPlaced, takeFocus, onClose } = props;
  const { node } = props.query;
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeFocus) element.current?.focus();
  }, [takeFocus, node]);
  /** One node, by its id or alone at its place. */
  const selected = genesis ?? (node !== null || total === 1 ? peers[0] : undefined);
  const shownId = selected?.id ?? node;
  return (
    <aside
      ref={element}
      className={`${card.card} ${styles.nodeCard}`}
      tabIndex={-1}
      aria-labelledby="node-card-title"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.head}>
        <div>
          <h2 id="node-card-title">
            {selected?.label ?? node ?? (loading ? 'Nodes here' : `${nodes(total)} here`)}
          </h2>
          {selected && !genesis && selected.label !== selected.id && <code>{selected.id}</code>}
        </div>
        <button
          type="button"
          className={`${button.icon} needs-scripts`}
          onClick={onClose}
          aria-label="Close"
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
            <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      </div>
      <div className={styles.body}>
        {genesis ? (
          <>
            <p className={styles.genesis}>
              <GenesisIcon /> The bootstrap peer. This service checks its health.
            </p>
            <GenesisFacts genesis={genesis} Time={RelativeTime}>
              {genesisPlaced && (
                <>
                  <dt>Location</dt>
                  <dd>{coordinates(genesis)}</dd>
                </>
              )}
            </GenesisFacts>
          </>
        ) : loading ? (
          <p className={text.secondary}>Loading…</p>
        ) : selected && peers[0] ? (
          <PeerFacts
            peer={peers[0]}
            status={<Status status={peers[0].status} />}
            Time={RelativeTime}
          >
            <dt>Location</dt>
            <dd>{coordinates(peers[0])} (approximate)</dd>
          </PeerFacts>
        ) : node === null ? (
          <NodesHere {...props} />
        ) : (
          <p>We haven’t heard from a node with this ID.</p>
        )}
        {!loading && shownId !== null && (
          <Link className={button.button} to={hrefs.node(shownId)}>
            {selected ? 'View node' : 'Find out why'}
          </Link>
        )}
      </div>
    </aside>
  );
}

/** All nodes at one grid point. */
function NodesHere({ peers, total, showMore, query }: NodeCardProps) {
  return (
    <>
      <p className={text.secondary}>
        {peers[0] && `${coordinates(peers[0])}. `}
        Locations are rounded, so nodes can share one.
      </p>
      <ul className={styles.here}>
        {peers.map((peer) => (
          <li key={peer.id}>
            <Link to={nodeOnMap(query, peer.id)} state={FOCUS_CARD} preventScrollReset>
              {peer.label}
            </Link>
            <Status status={peer.status} />
          </li>
        ))}
      </ul>
      {showMore && (
        <button type="button" className={`${button.button} needs-scripts`} onClick={showMore}>
          Show more ({count(total - peers.length)})
        </button>
      )}
    </>
  );
}
