import { useMemo } from 'react';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { coordinates } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import styles from './node-table.module.css';
import { FOCUS_CARD, nodeOnMap } from './use-selection.ts';

/** The nodes of the map as a table, for everybody and without scripts. */
export function NodeTable({ peers, query }: { peers: Peer[]; query: MeshQuery }) {
  const columns = useMemo(() => columnsOf((node) => nodeOnMap(query, node)), [query]);
  return (
    <DataTable
      caption="Nodes in the order in which they joined"
      columns={columns}
      rows={peers}
      id={({ id }) => id}
    />
  );
}

const columnsOf = (hrefOf: (node: string) => string): Column<Peer>[] => [
  {
    head: 'Node',
    kind: 'name',
    // A plain link, because prefetching a hundred routes would be slow.
    cell: ({ id, label }) => (
      <>
        <Link className={styles.node} to={hrefs.node(id)}>
          {label}
        </Link>{' '}
        {label !== id && <code className={styles.id}>{id}</code>}
      </>
    ),
  },
  {
    head: 'Status',
    kind: 'word',
    phone: 'inline',
    className: styles.detail,
    cell: (peer) => <Status status={peer.status} />,
  },
  {
    head: 'Class',
    kind: 'word',
    phone: 'inline',
    className: styles.detail,
    cell: (peer) => peer.class,
  },
  {
    head: 'Region',
    kind: 'word',
    phone: 'inline',
    className: styles.detail,
    cell: ({ region }) => <Region code={region} />,
  },
  {
    head: 'Location',
    kind: 'word',
    phone: 'inline',
    className: styles.location,
    cell: (peer) => (
      <Link
        to={hrefOf(peer.id)}
        state={FOCUS_CARD}
        preventScrollReset
        aria-label={`Show ${peer.label} on the map, ${coordinates(peer)}`}
      >
        {coordinates(peer)}
      </Link>
    ),
  },
  {
    head: 'Joined',
    kind: 'number',
    phone: 'hidden',
    cell: (peer) => <RelativeTime at={peer.joinedAt} />,
  },
  {
    head: 'Last seen',
    kind: 'number',
    phone: 'aside',
    cell: (peer) => <RelativeTime at={peer.lastSeen} />,
  },
];
