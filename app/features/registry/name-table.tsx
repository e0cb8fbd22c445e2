import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { capacity } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './name-table.module.css';

/** Active names, with the live state of their node and compute offer. */
export function NameTable({ entries }: { entries: RegistryEntry[] }) {
  return (
    <DataTable
      caption="Active names"
      columns={COLUMNS}
      rows={entries}
      id={({ name }) => name}
      inCard
    />
  );
}

const COLUMNS: Column<RegistryEntry>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ name }) => <Link to={`/registry/${name}`}>{name}</Link>,
  },
  {
    head: 'Kinds',
    phone: 'aside',
    className: styles.quiet,
    cell: ({ kinds }) => kinds.join(', '),
  },
  { head: 'Label', kind: 'text', cell: ({ label }) => label },
  { head: 'Class', cell: (entry) => entry.class },
  { head: 'Region', className: styles.quiet, cell: ({ region }) => <Region code={region} /> },
  { head: 'Node', cell: (entry) => <NodeState entry={entry} /> },
  { head: 'Compute offer', cell: (entry) => <OfferState entry={entry} /> },
  {
    head: 'Active since',
    kind: 'number',
    cell: ({ activatedAt }) => <RelativeTime at={activatedAt} />,
  },
];

function NodeState({ entry: { kinds, node, class: size } }: { entry: RegistryEntry }) {
  if (!kinds.includes('node')) return <Absent reason="not registered as a node" />;
  if (!node) return <span className={text.secondary}>never seen</span>;
  return (
    <span className={styles.pair}>
      <Status status={node.status} size={size} />
      <Aside>
        <RelativeTime at={node.lastSeen} />
      </Aside>
    </span>
  );
}

function OfferState({ entry: { kinds, compute } }: { entry: RegistryEntry }) {
  if (!kinds.includes('compute')) return <Absent reason="not registered as a compute offer" />;
  if (!compute) return <span className={text.secondary}>never announced</span>;
  return (
    <span className={styles.pair}>
      <Status status={compute.status} />
      <Aside>
        {compute.status === 'available' ? (
          capacity(compute)
        ) : (
          <RelativeTime at={compute.lastSeen} />
        )}
      </Aside>
    </span>
  );
}

const Aside = ({ children }: { children: ReactNode }) => (
  <span className={text.secondary}>{children}</span>
);

/** Shows a dash, and gives screen readers the reason. */
function Absent({ reason }: { reason: string }) {
  return (
    <span className={text.secondary}>
      <span aria-hidden>–</span>
      <span className="visually-hidden">{reason}</span>
    </span>
  );
}
