import { Link } from '@remix-run/react';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import type { ReviewedRegistration } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { NodeProofMarks } from '../node-proof.tsx';
import { RegistrationStatus, ReviewerName } from '../row-parts.tsx';
import styles from './registrations-table.module.css';

const COLUMNS: Column<ReviewedRegistration>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ note, name }) => <Link to={hrefs.review.registration(note)}>{name}</Link>,
  },
  {
    head: 'Status',
    kind: 'word',
    phone: 'aside',
    cell: ({ status, decidedBy }) => <RegistrationStatus {...{ status, decidedBy }} />,
  },
  { head: 'Payment note', kind: 'text', cell: ({ note }) => <code>{note}</code> },
  {
    head: 'Node',
    kind: 'text',
    cell: ({ nodeId, nodeProved, notices }) => (
      <>
        <code>{nodeId}</code>
        <NodeProofMarks nodeProved={nodeProved} notices={notices} />
      </>
    ),
  },
  {
    head: 'Decided by',
    kind: 'text',
    className: styles.decidedBy,
    cell: ({ decidedBy }) =>
      decidedBy !== null &&
      decidedBy !== SYSTEM &&
      decidedBy !== OPERATOR && <ReviewerName email={decidedBy} />,
  },
  { head: 'Last change', kind: 'number', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
];

export function RegistrationsTable({ rows }: { rows: ReviewedRegistration[] }) {
  return (
    <DataTable
      inCard
      className={styles.table}
      caption="Registrations"
      rows={rows}
      id={({ note }) => note}
      columns={COLUMNS}
    />
  );
}
