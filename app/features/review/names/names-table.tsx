import { Link } from '@remix-run/react';
import type { ReservedName } from '#server/names/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { DataTable } from '#app/ui/data-table.tsx';
import text from '#app/ui/text.module.css';
import styles from '../columns.module.css';
import { Since } from '../row-parts.tsx';
import { ReasonForm } from '../reason-form.tsx';

interface NamesTableProps {
  names: ReservedName[];
  /** What is wrong with the form that releases this name. */
  problemOf: (name: ReservedName) => FormError | undefined;
}

export function NamesTable({ names, problemOf }: NamesTableProps) {
  return (
    <DataTable
      inCard
      caption="Reserved names"
      rows={names}
      id={({ name }) => name}
      columns={[
        { head: 'Name', kind: 'name', className: styles.roomy, cell: (row) => <Name row={row} /> },
        { head: 'Reason', kind: 'text', cell: ({ reason }) => reason },
        {
          head: 'Reserved',
          kind: 'text',
          className: styles.roomy,
          cell: ({ addedAt, addedBy }) => <Since at={addedAt.toISOString()} by={addedBy} />,
        },
        { head: 'Last day', cell: (row) => <LastDay row={row} /> },
        {
          head: 'Release',
          kind: 'actions',
          cell: (row) => (
            <ReasonForm
              label="Release"
              subject={row.name}
              intent="release"
              subjectField="name"
              problem={problemOf(row)}
            />
          ),
        },
      ]}
    />
  );
}

function Name({ row: { name, holder } }: { row: ReservedName }) {
  return (
    <>
      {name}
      {holder && (
        <span className={text.remark}>
          still registered,{' '}
          <Link to={hrefs.review.registration(holder.note)}>view registration</Link>
        </span>
      )}
    </>
  );
}

/** The last day on which the name is reserved, in UTC. */
function LastDay({ row: { expiresAt, expired } }: { row: ReservedName }) {
  if (!expiresAt) return <span className={text.secondary}>no end date</span>;
  const day = new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
  return (
    <>
      <time dateTime={day}>{day}</time>
      {expired && <span className={text.secondary}> expired</span>}
    </>
  );
}
