import { memo, useMemo } from 'react';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { UptimeShare } from '#app/features/uptime/uptime-share.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, regionInWords } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import type { VirtualRows } from '#app/ui/use-virtual-rows.ts';
import styles from './compute-table.module.css';
import { COMPARE_FORM, COMPARE_LIMIT } from './compare-tray.tsx';
import {
  COMPARE_MAX,
  freeNow,
  queryString,
  sortedBy,
  type DirectoryQuery,
  type NodeOf,
  type SortKey,
} from './directory-query.ts';
import { useComparison } from './use-comparison.ts';

export interface ComputeTableProps {
  /** All rows of the list, or one page of them. */
  rows: Compute[];
  nodeOf: NodeOf;
  /** Index in the list of the first of `rows`, from 0. */
  first: number;
  /** Rows in the list. */
  total: number;
  query: DirectoryQuery;
  /** Renders only the rows in view. */
  virtual?: VirtualRows<Compute>;
}

/** The directory as a table; on a phone two lines for each offer. */
export const ComputeTable = memo(function ComputeTable(props: ComputeTableProps) {
  const { rows, nodeOf, first, total, query, virtual } = props;
  const columns = useMemo(() => columnsFor(nodeOf), [nodeOf]);
  const sort = useMemo(
    () => ({
      by: query.sort,
      descending: query.descending,
      href: (key: string) => hrefs.computes(queryString(sortedBy(query, key as SortKey))),
    }),
    [query],
  );
  const { chosen, keyOf } = useComparison();
  return (
    <DataTable
      caption="Compute offers"
      className={styles.table}
      columns={columns}
      rows={rows}
      id={idOf}
      sort={sort}
      cards="lines"
      linked
      rowClass={(offer) => (chosen.includes(keyOf(offer)) ? styles.chosen : undefined)}
      part={{ first, total }}
      virtual={virtual}
    />
  );
});

export const idOf = ({ id }: Compute) => id;

/** Chooses an offer to be compared. A fifth can't be, and its box says why. */
function CompareBox({ offer }: { offer: Compute }) {
  const { chosen, keyOf, toggle } = useComparison();
  const key = keyOf(offer);
  const isChosen = chosen.includes(key);
  const refused = !isChosen && chosen.length >= COMPARE_MAX;
  return (
    <label>
      <input
        type="checkbox"
        form={COMPARE_FORM}
        name="compare"
        value={key}
        aria-label={`Compare ${offer.name}`}
        aria-disabled={refused || undefined}
        aria-describedby={refused ? COMPARE_LIMIT : undefined}
        title={refused ? 'Four is the most: remove one to choose another' : undefined}
        checked={isChosen}
        onChange={() => !refused && toggle(key)}
      />
    </label>
  );
}

/** The free slots of an offer. While it is offline there are none, whatever it last announced. */
function SlotsNow({ offer }: { offer: Compute }) {
  const free = freeNow(offer);
  const last =
    offer.status === 'offline' ? `${count(offer.freeSlots)} free when last announced` : undefined;
  return (
    <span className={free > 0 ? styles.some : styles.none} title={last}>
      {count(free)}
    </span>
  );
}

const columnsFor = (nodeOf: NodeOf): (Column<Compute> & { sort?: SortKey })[] => [
  {
    head: 'Compare',
    kind: 'check',
    className: styles.check,
    cell: (offer) => <CompareBox offer={offer} />,
  },
  {
    sort: 'name',
    head: 'Name',
    kind: 'name',
    className: styles.name,
    // A plain link: Remix would prefetch the route of every link in thousands of rows.
    cell: ({ name }) => <Link to={hrefs.name(name)}>{name}</Link>,
  },
  {
    sort: 'node',
    head: 'Node',
    phone: 'hidden',
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
    phone: 'below',
    className: styles.image,
    // The whole image, which may have 255 characters, is in the tooltip and in the downloads.
    cell: ({ image }) => <code title={image}>{image}</code>,
  },
  {
    sort: 'region',
    head: 'Region',
    phone: 'hidden',
    className: styles.region,
    cell: ({ nodeId }) => {
      const region = regionInWords(nodeOf(nodeId).region);
      return (
        <span title={region} suppressHydrationWarning>
          {region}
        </span>
      );
    },
  },
  {
    sort: 'class',
    head: 'Class',
    phone: 'hidden',
    shown: 'wide',
    className: styles.class,
    cell: (offer) => offer.class,
  },
  {
    sort: 'backend',
    head: 'Backend',
    phone: 'hidden',
    shown: 'wide',
    className: styles.backend,
    cell: ({ backend }) => <span title={backend}>{backend}</span>,
  },
  {
    sort: 'free',
    head: 'Free slots',
    kind: 'number',
    phone: 'hidden',
    className: styles.free,
    cell: (offer) => <SlotsNow offer={offer} />,
  },
  {
    sort: 'replicas',
    head: 'Replicas',
    kind: 'number',
    phone: 'hidden',
    shown: 'wide',
    className: styles.replicas,
    cell: ({ replicas }) => count(replicas),
  },
  {
    sort: 'uptime',
    head: 'Uptime, 30 d',
    kind: 'number',
    phone: 'hidden',
    className: styles.uptime,
    cell: ({ nodeId }) => <UptimeShare share={nodeOf(nodeId).uptime} />,
  },
  {
    sort: 'status',
    head: 'State',
    phone: 'hidden',
    className: styles.state,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    sort: 'seen',
    head: 'Announced',
    kind: 'number',
    phone: 'hidden',
    shown: 'wide',
    className: styles.seen,
    cell: ({ lastSeen }) => <RelativeTime at={lastSeen} />,
  },
  {
    head: 'Free',
    phone: 'aside',
    shown: 'cards',
    cell: (offer) => (
      <span className={styles.short}>
        {offer.status === 'available' ? `${count(offer.freeSlots)} free` : offer.status}
        <StateGlyph state={offer.status} />
      </span>
    ),
  },
  {
    head: 'Class and region',
    phone: 'end',
    shown: 'cards',
    cell: (offer) => (
      <span suppressHydrationWarning>
        {offer.class} · {regionInWords(nodeOf(offer.nodeId).region)}
      </span>
    ),
  },
];
