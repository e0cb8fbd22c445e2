import { useEffect, useRef } from 'react';
import type { Genesis, Peer } from '../../server/schemas/mesh.ts';
import { count, nodes, place } from '../format.ts';
import { GenesisGlyph, Status } from './glyph.tsx';
import { GenesisHealth } from './overview.tsx';
import { When } from './when.tsx';

export interface NodeCardProps {
  peers: Peer[];
  /** Genesis, where it is chosen too. */
  genesis: Genesis | null;
  /** Chosen by the keyboard or from the list, not on the map: then the focus goes there. */
  takeFocus: boolean;
  onClose: () => void;
}

/** A card holds this many nodes; it says how many more there are, and the list has them all. */
const SHOWN = 100;

/** What is chosen on the map: one node, or all that lie at one place. */
export function NodeCard({ peers, genesis, takeFocus, onClose }: NodeCardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeFocus) card.current?.focus();
  }, [takeFocus]);
  const several = peers.length + (genesis ? 1 : 0) > 1;
  const only = several ? undefined : (peers[0] ?? genesis);
  const title = only?.label ?? `${nodes(peers.length)}${genesis ? ' and Genesis' : ''} here`;
  return (
    <aside
      ref={card}
      className="node-card card"
      tabIndex={-1}
      aria-labelledby="node-card-title"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className="node-card-head">
        <h2 id="node-card-title">{title}</h2>
        <button type="button" className="icon" onClick={onClose} aria-label="Close">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
            <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      </div>
      <div className="node-card-body">
        {genesis && <GenesisFacts genesis={genesis} named={several} />}
        {peers.slice(0, SHOWN).map((peer) => (
          <PeerFacts key={peer.id} peer={peer} named={several} />
        ))}
        {peers.length > SHOWN && (
          <p>And {count(peers.length - SHOWN)} more. The list has them all.</p>
        )}
      </div>
    </aside>
  );
}

function PeerFacts({ peer, named }: { peer: Peer; named: boolean }) {
  return (
    <article>
      {named && <h3>{peer.label}</h3>}
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <code>{peer.id}</code>
        </dd>
        <dt>Status</dt>
        <dd>
          <Status status={peer.status} size={peer.class} />
        </dd>
        <dt>Last seen</dt>
        <dd>
          <When at={peer.lastSeen} />
        </dd>
        <dt>Joined</dt>
        <dd>
          <When at={peer.joinedAt} />
        </dd>
        <dt>Class</dt>
        <dd>{peer.class}</dd>
        <dt>Region</dt>
        <dd>{peer.region}</dd>
        <dt>Place</dt>
        <dd>{place(peer)}, rounded</dd>
      </dl>
    </article>
  );
}

function GenesisFacts({ genesis, named }: { genesis: Genesis; named: boolean }) {
  return (
    <article>
      {named && <h3>{genesis.label}</h3>}
      <p className="genesis-note">
        <GenesisGlyph /> The bootstrap peer. Its health is checked by this service.
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
              <When at={genesis.joinedAt} />
            </dd>
          </>
        )}
        <dt>Region</dt>
        <dd>{genesis.region}</dd>
        <dt>Place</dt>
        <dd>{place(genesis)}</dd>
      </dl>
    </article>
  );
}
