import { Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import { count, nodes, place } from '#app/lib/formatters.ts';
import { GenesisIcon, Status } from '#app/ui/status-icon.tsx';
import { GenesisHealth } from './overview.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';

export interface NodeCardProps {
  /** What the address names: the id of a node or `genesis`, else a place. */
  node: string | null;
  /** The node, or all nodes at the place. None where no node of that id is known. */
  peers: Peer[];
  /** Genesis, where it is chosen. */
  genesis: Genesis | null;
  /** Chosen elsewhere than on the map: then the focus goes to the card. */
  takeFocus: boolean;
  href: (node: string) => string;
  onClose: () => void;
}

/** A card holds this many nodes; it says how many more there are, and the list has them all. */
const SHOWN = 100;

/** What is chosen: one node, Genesis, or all nodes that lie at one place. */
export function NodeCard({ node, peers, genesis, takeFocus, href, onClose }: NodeCardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeFocus) card.current?.focus();
  }, [takeFocus, node]);
  const only = node === null ? undefined : (genesis ?? peers[0]);
  return (
    <aside
      ref={card}
      className="node-card card"
      tabIndex={-1}
      aria-labelledby="node-card-title"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className="node-card-head">
        <div>
          <h2 id="node-card-title">{only?.label ?? node ?? `${nodes(peers.length)} here`}</h2>
          {only && only.label !== only.id && !genesis && <code>{only.id}</code>}
        </div>
        <button type="button" className="icon needs-scripts" onClick={onClose} aria-label="Close">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
            <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      </div>
      <div className="node-card-body">
        {genesis ? (
          <GenesisFacts genesis={genesis} />
        ) : node === null ? (
          <>
            <p className="secondary">
              {peers[0] ? `${place(peers[0])}: places are rounded, so nodes share them.` : ''}
            </p>
            <ul className="here">
              {peers.slice(0, SHOWN).map((peer) => (
                <li key={peer.id}>
                  <Link to={href(peer.id)} state={{ focusCard: true }} preventScrollReset>
                    {peer.label}
                  </Link>
                  <Status status={peer.status} size={peer.class} />
                </li>
              ))}
            </ul>
            {peers.length > SHOWN && (
              <p className="secondary">
                And {count(peers.length - SHOWN)} more. The list has them all.
              </p>
            )}
          </>
        ) : peers[0] ? (
          <PeerFacts peer={peers[0]} />
        ) : (
          <p>No node with this id has sent a heartbeat.</p>
        )}
        {node !== null && (
          <Link className="button" to={`/nodes/${node}`}>
            {only ? 'Open node page' : 'Why is it not shown?'}
          </Link>
        )}
      </div>
    </aside>
  );
}

function PeerFacts({ peer }: { peer: Peer }) {
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Status status={peer.status} size={peer.class} />
      </dd>
      <dt>Seen</dt>
      <dd>
        <RelativeTime at={peer.lastSeen} />
      </dd>
      <dt>Joined</dt>
      <dd>
        <RelativeTime at={peer.joinedAt} />
      </dd>
      <dt>Class</dt>
      <dd>{peer.class}</dd>
      <dt>Region</dt>
      <dd>{peer.region}</dd>
      <dt>Place</dt>
      <dd>{place(peer)}, rounded</dd>
    </dl>
  );
}

function GenesisFacts({ genesis }: { genesis: Genesis }) {
  return (
    <>
      <p className="genesis-note">
        <GenesisIcon /> The bootstrap peer. Its health is checked by this service.
      </p>
      <dl className="facts">
        <dt>Health</dt>
        <dd>
          <GenesisHealth genesis={genesis} />
        </dd>
        {genesis.joinedAt && (
          <>
            <dt>Since</dt>
            <dd>
              <RelativeTime at={genesis.joinedAt} />
            </dd>
          </>
        )}
        <dt>Region</dt>
        <dd>{genesis.region}</dd>
        <dt>Place</dt>
        <dd>{place(genesis)}</dd>
      </dl>
    </>
  );
}
