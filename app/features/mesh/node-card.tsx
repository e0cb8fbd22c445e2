import { useEffect, useRef } from 'react';
import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  OFFLINE_AFTER_MS,
  UNKNOWN_REGION,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { ago, useTextAt } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { coordinates, count, nodes, regionName } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { FollowLink } from '#app/ui/follow-link.tsx';
import facts from '#app/ui/facts.module.css';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { Term } from '#app/ui/term.tsx';
import text from '#app/ui/text.module.css';
import type { NodeSummary } from '#server/nodes/index.ts';
import { NodeHistory, offersText, useNodeSummary } from './rail/node-summary.tsx';
import styles from './node-card.module.css';
import { GenesisFacts } from './node-facts.tsx';
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
  /** Of the node that the page came with. */
  summary: NodeSummary | null;
  /** How many nodes the network has. */
  network: number;
  /** Moves the focus to the card's heading: the selection was made outside the map. */
  takeFocus: boolean;
  onClose: () => void;
}

/** What is selected, in the rail's place: one node, Genesis, or all nodes at one grid point. */
export function NodeCard(props: NodeCardProps) {
  const { query, peers, total, loading, genesis, genesisPlaced, takeFocus, onClose } = props;
  const { node } = query;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocus) title.current?.focus();
  }, [takeFocus, node]);
  /** One node, by its id or alone at its place. */
  const selected = genesis ?? (node !== null || total === 1 ? peers[0] : undefined);
  const peerId = genesis ? null : (selected?.id ?? null);
  const summary = useNodeSummary(peerId, peers[0]?.status, props.summary);
  const unknown = !loading && node !== null && !selected;
  return (
    <aside
      className={styles.card}
      aria-labelledby="node-card-title"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.back} data-sheet-head>
        <Link to={meshHref({ ...query, node: null, at: null })} preventScrollReset>
          <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
            <path d="M12 5l-5 5l5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
          {props.network === 1 ? 'All nodes' : `All ${nodes(props.network)}`}
        </Link>
        <button
          type="button"
          className={`${button.icon} needs-scripts`}
          onClick={onClose}
          aria-label="Close"
        >
          <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
            <path d="M5 5l10 10M15 5L5 15" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </button>
      </div>
      <div className={styles.head}>
        <h2 ref={title} id="node-card-title" tabIndex={-1}>
          {unknown
            ? 'No node with this ID'
            : (selected?.label ?? node ?? (loading ? 'Nodes here' : `${nodes(total)} here`))}
        </h2>
        {node !== null && !genesis && selected?.label !== node && <code>{node}</code>}
        {genesis && <p>The bootstrap peer. This service checks its health.</p>}
        {unknown && <p>We haven’t heard from it, or it was removed.</p>}
        {!genesis && selected && peers[0] && (
          <PeerState peer={peers[0]} lastOutage={summary?.lastOutage ?? null} />
        )}
      </div>
      {genesis ? (
        <GenesisFacts genesis={genesis} Time={RelativeTime}>
          {genesisPlaced && (
            <>
              <dt>Location</dt>
              <dd>{coordinates(genesis)}</dd>
            </>
          )}
        </GenesisFacts>
      ) : loading ? (
        <p className={styles.part}>Loading…</p>
      ) : selected && peers[0] ? (
        <>
          {summary && <NodeHistory {...summary} />}
          <RailFacts peer={peers[0]} summary={summary} />
        </>
      ) : node === null ? (
        <NodesHere {...props} />
      ) : null}
      {!loading && (selected ?? node) && (
        <div className={styles.foot}>
          <Link className={button.primary} to={hrefs.node(selected?.id ?? node ?? '')}>
            {selected ? 'View node' : 'Find out why'}
          </Link>
          {selected && !genesis && <FollowLink href={hrefs.nodeFeed(selected.id)} />}
        </div>
      )}
    </aside>
  );
}

/** Its state, which follows the clock by the server's rule, and the reason for it. */
function PeerState({ peer, lastOutage }: { peer: Peer; lastOutage: string | null }) {
  const lastSeen = Date.parse(peer.lastSeen);
  const status = useTextAt((now) =>
    now > lastSeen + OFFLINE_AFTER_MS ? 'offline' : peer.status,
  ) as PeerStatus;
  const age = useTextAt((now) => ago(lastSeen, now));
  return (
    <p className={styles.state}>
      <StateGlyph state={status} size={16} />
      <span>
        <b>{status}</b> Last heartbeat {age}
        {lastOutage !== null && (
          <>
            , last outage <RelativeTime at={lastOutage} />
          </>
        )}
        .
      </span>
    </p>
  );
}

function RailFacts({ peer, summary }: { peer: Peer; summary: NodeSummary | null }) {
  return (
    <dl className={`${facts.facts} ${styles.part}`}>
      {summary && (
        <>
          <dt>Compute offers</dt>
          <dd>{offersText(summary)}</dd>
        </>
      )}
      <dt>
        <Term id="class" />
      </dt>
      <dd>{peer.class}</dd>
      <dt>Place</dt>
      <dd>
        {coordinates(peer)}
        {peer.region !== UNKNOWN_REGION && (
          <span suppressHydrationWarning>, {regionName(peer.region) ?? peer.region}</span>
        )}
      </dd>
      <dt>Joined</dt>
      <dd>
        <RelativeTime at={peer.joinedAt} />
      </dd>
    </dl>
  );
}

/** All nodes at one grid point. */
function NodesHere({ peers, total, showMore, query }: NodeCardProps) {
  return (
    <div className={styles.part}>
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
    </div>
  );
}
