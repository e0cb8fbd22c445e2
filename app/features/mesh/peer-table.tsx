import { Link } from '@remix-run/react';
import { memo } from 'react';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { place } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';

/** Peers as a table: the same that the map shows, for everybody and without JavaScript. */
export function PeerTable({ peers, href }: { peers: Peer[]; href: (node: string) => string }) {
  // The roles are those of a table anyway, but on a narrow screen its rows are laid out as a grid,
  // and browsers then forget them.
  return (
    <table className="table peers" role="table">
      <caption className="visually-hidden">Nodes in the order in which they joined</caption>
      <thead role="rowgroup">
        <tr role="row">
          {COLUMNS.map(({ name, num }) => (
            <th key={name} role="columnheader" scope="col" className={num ? 'num' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {peers.map((peer) => (
          <PeerRow key={peer.id} peer={peer} to={href(peer.id)} />
        ))}
      </tbody>
    </table>
  );
}

const COLUMNS = [
  { name: 'Node', num: false },
  { name: 'Status', num: false },
  { name: 'Class', num: false },
  { name: 'Region', num: false },
  { name: 'Place', num: false },
  { name: 'Joined', num: true },
  { name: 'Last seen', num: true },
];

/** The store replaces a peer when it changes: a row is rendered again only then. */
const PeerRow = memo(function PeerRow({ peer, to }: { peer: Peer; to: string }) {
  return (
    <tr role="row">
      <th role="rowheader" scope="row" className="node">
        {/* No asking ahead which route each of a hundred addresses belongs to. */}
        <Link to={`/nodes/${peer.id}`}>{peer.label}</Link>{' '}
        {peer.label !== peer.id && <code>{peer.id}</code>}
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
        <Link
          to={to}
          state={{ focusCard: true }}
          preventScrollReset
          aria-label={`Show ${peer.label} on the map, ${place(peer)}`}
        >
          {place(peer)}
        </Link>
      </td>
      <td role="cell" className="joined num">
        <RelativeTime at={peer.joinedAt} />
      </td>
      <td role="cell" className="seen num">
        <RelativeTime at={peer.lastSeen} />
      </td>
    </tr>
  );
});
