import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { DataTable } from '#app/ui/data-table.tsx';
import styles from '../columns.module.css';
import { Since } from '../row-parts.tsx';
import { ReasonForm } from '../reason-form.tsx';

export interface BlockedNode {
  nodeId: string;
  reason: string;
  blockedBy: string;
  blockedAt: string;
}

interface NodesTableProps {
  nodes: BlockedNode[];
  /** What is wrong with the form that unblocks this node. */
  problemOf: (node: BlockedNode) => FormError | undefined;
}

export function NodesTable({ nodes, problemOf }: NodesTableProps) {
  return (
    <DataTable
      inCard
      caption="Blocked nodes"
      rows={nodes}
      id={({ nodeId }) => nodeId}
      columns={[
        {
          head: 'Node',
          kind: 'name',
          className: styles.roomy,
          cell: ({ nodeId }) => (
            <Link to={hrefs.node(nodeId)}>
              <code>{nodeId}</code>
            </Link>
          ),
        },
        { head: 'Reason', kind: 'text', cell: ({ reason }) => reason },
        {
          head: 'Blocked',
          kind: 'text',
          className: styles.roomy,
          cell: ({ blockedAt, blockedBy }) => <Since at={blockedAt} by={blockedBy} />,
        },
        {
          head: 'Unblock',
          kind: 'actions',
          cell: (row) => (
            <ReasonForm
              label="Unblock"
              subject={row.nodeId}
              intent="unblock"
              subjectField="nodeId"
              problem={problemOf(row)}
            />
          ),
        },
      ]}
    />
  );
}
