import type { DayStrip } from '#server/uptime/index.ts';
import { UptimeStrip } from '#app/features/uptime/uptime-strip.tsx';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { freeSlotsText, percent } from '#app/lib/formatters.ts';
import type { Column } from '#app/ui/data-table.tsx';
import { Kinds } from '#app/ui/kind-icon.tsx';
import { Link } from '#app/ui/link.tsx';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './name-table.module.css';

export interface NameRow extends RegistryEntry {
  /** The uptime of its node over the last 30 days, from 0 to 1; null if it isn't known. */
  uptime: number | null;
  /** How long its node was offline on each of them; null if it isn't known. */
  days: DayStrip | null;
}

/** The columns of active names, with the live state of their node and compute offer. */
export const NAME_COLUMNS: Column<NameRow>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ name, label }) => (
      <>
        <Link to={hrefs.name(name)}>{name}</Link>
        {label !== name && <span className={text.remark}>{label}</span>}
      </>
    ),
  },
  {
    head: 'Kinds',
    phone: 'aside',
    cell: ({ kinds }) => <Kinds kinds={kinds} />,
  },
  { head: 'Class', className: styles.wide, cell: (entry) => entry.class },
  {
    head: 'Region',
    className: `${styles.quiet} ${styles.wide}`,
    cell: ({ region }) => <Region code={region} />,
  },
  { head: 'Node', cell: (entry) => <NodeState entry={entry} /> },
  { head: 'Compute offer', cell: (entry) => <OfferState entry={entry} /> },
  {
    head: '30 days',
    cell: ({ days }) =>
      days ? <UptimeStrip days={days} place="row" /> : <Absent reason="no data yet" />,
  },
  {
    head: 'Uptime, 30 d',
    kind: 'number',
    cell: ({ uptime }) => (uptime === null ? <Absent reason="no data yet" /> : percent(uptime)),
  },
  {
    head: 'Active since',
    kind: 'number',
    cell: ({ activatedAt }) => <RelativeTime at={activatedAt} />,
  },
];

function NodeState({ entry: { kinds, node } }: { entry: RegistryEntry }) {
  if (!kinds.includes('node')) return <Absent reason="not registered as a node" />;
  if (!node) return <span className={text.secondary}>never seen</span>;
  return (
    <span className={styles.pair}>
      <Status status={node.status} />
      {node.status === 'offline' && (
        <span className={text.secondary}>
          <RelativeTime at={node.lastSeen} />
        </span>
      )}
    </span>
  );
}

function OfferState({ entry: { kinds, compute } }: { entry: RegistryEntry }) {
  if (!kinds.includes('compute')) return <Absent reason="not registered as a compute offer" />;
  if (!compute) return <span className={text.secondary}>never announced</span>;
  return (
    <span className={styles.pair}>
      <Status status={compute.status} />
      <span className={text.secondary}>
        {compute.status === 'available' ? (
          freeSlotsText(compute.freeSlots)
        ) : (
          <RelativeTime at={compute.lastSeen} />
        )}
      </span>
    </span>
  );
}

/** Shows a dash, and gives screen readers the reason. */
function Absent({ reason }: { reason: string }) {
  return (
    <span className={text.secondary}>
      <span aria-hidden>–</span>
      <span className="visually-hidden">{reason}</span>
    </span>
  );
}
