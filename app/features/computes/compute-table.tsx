import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import type { VirtualRows } from '#app/ui/use-virtual-rows.ts';
import styles from './compute-table.module.css';
import { queryString, sortedBy, type DirectoryQuery, type SortKey } from './directory-query.ts';
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
  return (
    <DataTable
      caption="Compute offers"
      className={styles.table}
      columns={COLUMNS}
      rows={rows}
      id={idOf}
      sort={{
        by: query.sort,
        descending: query.descending,
        href: (key) => hrefs.computes(queryString(sortedBy(query, key as SortKey))),
      }}
      linked
      rowClass={({ status }) => (status === 'offline' ? styles.offlineRow : styles.row)}
      part={{ first, total }}
      virtual={virtual}
      inCard
    />
  );
}

export const idOf = ({ id }: Compute) => id;

// Plain links: Remix would prefetch the route of every link in thousands of rows.
const COLUMNS: (Column<Compute> & { sort: SortKey })[] = [
  {
    sort: 'name',
    head: 'Name',
    kind: 'name',
    className: styles.name,
    cell: ({ name }) => <Link to={hrefs.name(name)}>{name}</Link>,
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
