import { memo } from 'react';
import type { Peer } from '../../server/schemas/mesh.ts';
import { place } from '../format.ts';
import { Status } from './glyph.tsx';
import { When } from './when.tsx';

export interface PeerTableProps {
  peers: Peer[];
  /** Shows a node on the map; absent until there is a map. */
  onShow?: ((id: string) => void) | undefined;
}

/** Peers as a table: the same that the map shows, for everybody and without JavaScript. */
export function PeerTable({ peers, onShow }: PeerTableProps) {
  // The roles are those of a table anyway, but on a narrow screen its rows are laid out as a grid,
  // and browsers then forget them.
  return (
    <table className="peers" role="table">
      <caption className="visually-hidden">Nodes in the order in which they joined</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Node', 'Status', 'Class', 'Region', 'Place', 'Joined', 'Last seen'].map((name) => (
            <th key={name} role="columnheader" scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {peers.map((peer) => (
          <PeerRow key={peer.id} peer={peer} onShow={onShow} />
        ))}
      </tbody>
    </table>
  );
}

/** The store replaces a peer when it changes: a row is rendered again only then. */
const PeerRow = memo(function PeerRow({
  peer,
  onShow,
}: { peer: Peer } & Pick<PeerTableProps, 'onShow'>) {
  return (
    <tr role="row">
      <th role="rowheader" scope="row" className="node">
        {peer.label} {peer.label !== peer.id && <code>{peer.id}</code>}
      </th>
      <td role="cell" className="state">
        <Status status={peer.status} size={peer.class} />
      </td>
      <td role="cell" className="class">
        {peer.class}
      </td>
      <td role="cell" className="region">
        {peer.region}
      </td>
      <td role="cell" className="place">
        {onShow ? (
          <button
            type="button"
            className="link"
            onClick={() => onShow(peer.id)}
            aria-label={`Show ${peer.label} on the map, ${place(peer)}`}
          >
            {place(peer)}
          </button>
        ) : (
          place(peer)
        )}
      </td>
      <td role="cell" className="joined">
        <When at={peer.joinedAt} />
      </td>
      <td role="cell" className="seen">
        <When at={peer.lastSeen} />
      </td>
    </tr>
  );
});
