import { useMemo } from 'react';
import {
  meshHref,
  sortedBy,
  type MeshQuery,
  type NodeSort,
} from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { coordinates, regionInWords } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import styles from './node-table.module.css';
import { FOCUS_CARD, nodeOnMap } from './use-selection.ts';

/** The nodes of the map as a table, for everybody and without scripts; on a phone two lines for each. */
export function NodeTable({ peers, query }: { peers: Peer[]; query: MeshQuery }) {
  const columns = useMemo(() => columnsOf((node) => nodeOnMap(query, node)), [query]);
  return (
    <DataTable
      caption="Nodes"
      className={styles.table}
      columns={columns}
      rows={peers}
      id={({ id }) => id}
      sort={{
        by: query.sort,
        descending: query.descending,
        href: (sort) => meshHref(sortedBy(query, sort as NodeSort)),
      }}
      cards="lines"
      linked
    />
  );
}

const columnsOf = (hrefOf: (node: string) => string): (Column<Peer> & { sort?: NodeSort })[] => [
  {
    head: 'Node',
    kind: 'name',
    sort: 'name',
    // A plain link, because prefetching a hundred routes would be slow.
    cell: ({ id, label }) => (
      <span className={styles.node}>
        <Link to={hrefs.node(id)}>{label}</Link> {label !== id && <code title={id}>{id}</code>}
      </span>
    ),
  },
  {
    head: 'Status',
    kind: 'word',
    sort: 'status',
    phone: 'hidden',
    className: styles.status,
    cell: (peer) => <Status status={peer.status} />,
  },
  {
    head: 'Class',
    kind: 'word',
    sort: 'class',
    phone: 'hidden',
    shown: 'wide',
    className: styles.class,
    cell: (peer) => peer.class,
  },
  {
    head: 'Region',
    sort: 'region',
    phone: 'hidden',
    className: styles.region,
    cell: ({ region }) => <RegionName code={region} />,
  },
  {
    head: 'Status, class and region',
    shown: 'cards',
    phone: 'below',
    cell: (peer) => (
      <>
        <Status status={peer.status} /> · {peer.class} · <RegionName code={peer.region} />
      </>
    ),
  },
  {
    head: 'Location',
    phone: 'end',
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
    sort: 'joined',
    phone: 'hidden',
    shown: 'wide',
    className: styles.age,
    cell: (peer) => <RelativeTime at={peer.joinedAt} />,
  },
  {
    head: 'Last seen',
    kind: 'number',
    sort: 'seen',
    phone: 'aside',
    className: styles.age,
    cell: (peer) => <RelativeTime at={peer.lastSeen} />,
  },
];

/** In words, as in the directory and the registry. */
const RegionName = ({ code }: { code: string }) => (
  // The server and the browser may know a country by different names.
  <span suppressHydrationWarning title={code}>
    {regionInWords(code)}
  </span>
);
