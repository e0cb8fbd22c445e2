import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { UnlistedReason } from '@mesh-registry/protocol/values.schema.ts';
import type { NodeCompute } from '#server/nodes/index.ts';
import { FreeSlots } from '#app/features/computes/free-slots.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-page.module.css';

/** The node's compute offers, and whether the directory lists them. */
export function NodeComputes({ computes }: { computes: NodeCompute[] }) {
  return (
    <Panel title="Compute offers" className={styles.wide}>
      {computes.length === 0 ? (
        <p className={text.secondary}>
          This node hasn’t announced any compute offers.{' '}
          <Link to={hrefs.docs.operators('announce')}>Learn how to announce compute offers</Link>
        </p>
      ) : (
        <DataTable
          caption="Compute offers of this node"
          columns={COLUMNS}
          rows={computes}
          id={({ name }) => name}
        />
      )}
    </Panel>
  );
}

const WHY_UNLISTED: Record<UnlistedReason, (name: string) => ReactNode> = {
  name_not_active: (name) => (
    <>
      The name isn’t active. <Link to={hrefs.name(name)}>Check if it’s available</Link>. Once it is
      active, the compute offer is listed automatically.
    </>
  ),
  name_owned_by_another_node: (name) => (
    <>
      The name <Link to={hrefs.name(name)}>belongs to another node</Link>. Announce the compute
      offer under a name registered for this node.
    </>
  ),
  registration_lacks_compute: (name) => (
    <>
      The name <Link to={hrefs.name(name)}>is registered</Link> for a node only. Announce the
      compute offer under a name registered for compute offers.
    </>
  ),
};

const COLUMNS: Column<NodeCompute>[] = [
  {
    head: 'Name',
    kind: 'name',
    className: styles.offer,
    cell: ({ name, listed }) =>
      listed ? (
        <Link className={styles.name} to={hrefs.name(name)}>
          {name}
        </Link>
      ) : (
        name
      ),
  },
  {
    head: 'Status',
    kind: 'word',
    phone: 'aside',
    cell: ({ status }) => <Status status={status} />,
  },
  {
    head: 'Free slots',
    kind: 'number',
    cell: (compute) => <FreeSlots {...compute} />,
  },
  {
    head: 'Replicas',
    kind: 'number',
    cell: ({ replicas }) => count(replicas),
  },
  {
    head: 'Last seen',
    kind: 'number',
    cell: ({ lastSeen }) => <RelativeTime at={lastSeen} />,
  },
  {
    head: 'In the directory',
    phone: 'full',
    cell: ({ name, reason }) =>
      reason ? (
        <>
          <strong>Not listed.</strong> {WHY_UNLISTED[reason](name)}
        </>
      ) : (
        'Listed'
      ),
  },
];
