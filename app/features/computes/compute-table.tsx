import { useMemo } from 'react';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import type { VirtualRows } from '#app/ui/use-virtual-rows.ts';
import styles from './compute-table.module.css';
import {
  parseQuery,
  queryString,
  sortedBy,
  type DirectoryQuery,
  type SortKey,
} from './directory-query.ts';
import { FreeSlots } from './free-slots.tsx';

export interface ComputeTableProps {
  /** All rows of the list, or one page of them. */
  rows: Compute[];
  /** Index in the list of the first of `rows`, from 0. */
  first: number;
  /** Rows in the list. */
  total: number;
  query: DirectoryQuery;
  /** Renders only the rows in view. */
  virtual?: VirtualRows<Compute>;
}

/** The directory as a table; cards on a phone. */
export function ComputeTable({ rows, first, total, query, virtual }: ComputeTableProps) {
  // Another query object may be the same query, and new columns render every row again.
  const search = queryString(query);
  const columns = useMemo(() => columnsFor(parseQuery(new URLSearchParams(search))), [search]);
  return (
    <DataTable
      caption="Compute offers"
      className={styles.table}
      columns={columns}
      rows={rows}
      id={idOf}
      rowClass={({ status }) => (status === 'offline' ? styles.offlineRow : styles.row)}
      part={{ first, total }}
      virtual={virtual}
      inCard
    />
  );
}

export const idOf = ({ id }: Compute) => id;

const columnsFor = (query: DirectoryQuery): Column<Compute>[] =>
  COLUMNS.map(({ sort, ...column }) => {
    const sorted = query.sort === sort;
    const order = query.descending ? 'descending' : 'ascending';
    return {
      ...column,
      sorted: sorted ? order : undefined,
      headContent: (
        <Link
          className={styles.sort}
          to={{ search: queryString(sortedBy(query, sort)) }}
          preventScrollReset
        >
          {column.head}
          <SortIcon order={sorted ? order : null} />
        </Link>
      ),
    };
  });

// Plain links: Remix would prefetch the route of every link in thousands of rows.
const COLUMNS: (Column<Compute> & { sort: SortKey })[] = [
  {
    sort: 'name',
    head: 'Name',
    kind: 'name',
    className: styles.name,
    cell: ({ name }) => (
      <Link className={styles.link} to={hrefs.name(name)}>
        {name}
      </Link>
    ),
  },
  {
    sort: 'node',
    head: 'Node',
    kind: 'text',
    phone: 'full',
    className: styles.node,
    cell: ({ nodeId, label }) => (
      <Link
        className={styles.link}
        to={hrefs.node(nodeId)}
        title={label === nodeId ? nodeId : `${label} (${nodeId})`}
      >
        {label}
      </Link>
    ),
  },
  {
    sort: 'image',
    head: 'Image',
    kind: 'text',
    phone: 'full',
    className: styles.imageCell,
    cell: (compute) => (
      // The whole image, which may have 255 characters, is in the tooltip and in the downloads.
      <span title={compute.image}>
        <code className={styles.image}>{compute.image}</code>
        <span className={styles.traits}>
          class {compute.class} · {compute.backend} · {compute.visibility} ·{' '}
          {count(compute.replicas)} {compute.replicas === 1 ? 'replica' : 'replicas'}
        </span>
      </span>
    ),
  },
  {
    sort: 'class',
    head: 'Class',
    phone: 'hidden',
    className: `${styles.trait} ${styles.class}`,
    cell: (compute) => compute.class,
  },
  {
    sort: 'backend',
    head: 'Backend',
    kind: 'text',
    phone: 'hidden',
    className: `${styles.trait} ${styles.backend}`,
    cell: ({ backend }) => <span title={backend}>{backend}</span>,
  },
  {
    sort: 'visibility',
    head: 'Visibility',
    phone: 'hidden',
    className: `${styles.trait} ${styles.visibility}`,
    cell: ({ visibility }) => visibility,
  },
  {
    sort: 'free',
    head: 'Free slots',
    kind: 'number',
    phone: 'full',
    className: styles.free,
    cell: (compute) => <FreeSlots {...compute} />,
  },
  {
    sort: 'replicas',
    head: 'Replicas',
    kind: 'number',
    phone: 'hidden',
    className: `${styles.trait} ${styles.replicas}`,
    cell: ({ replicas }) => count(replicas),
  },
  {
    sort: 'status',
    head: 'Status',
    phone: 'full',
    className: styles.status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    sort: 'seen',
    head: 'Last seen',
    kind: 'number',
    phone: 'full',
    className: styles.seen,
    cell: ({ lastSeen }) => <RelativeTime at={lastSeen} />,
  },
];

/** Takes up room in every header, so that sorting moves nothing. */
function SortIcon({ order }: { order: 'ascending' | 'descending' | null }) {
  return (
    <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden>
      {order && (
        <path d={order === 'ascending' ? 'M4 1 7.5 7h-7Z' : 'M4 7 .5 1h7Z'} fill="currentColor" />
      )}
    </svg>
  );
}
