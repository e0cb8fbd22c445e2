import { Link } from '@remix-run/react';
import type { HistoryEntry } from '#server/audit/index.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import styles from '../columns.module.css';
import { EVENT_LABEL, subjectHref } from './labels.ts';

const COLUMNS: Column<HistoryEntry>[] = [
  { head: 'Time', phone: 'aside', cell: ({ at }) => <RelativeTime at={at.toISOString()} /> },
  { head: 'Event', kind: 'word', phone: 'title', cell: ({ event }) => EVENT_LABEL[event] },
  {
    head: 'Subject',
    kind: 'text',
    className: styles.roomy,
    cell: (entry) => (
      <>
        <Link to={subjectHref(entry)}>{entry.subject}</Link>
        {entry.note !== null && <code className={text.remark}>{entry.note}</code>}
      </>
    ),
  },
  { head: 'Actor', kind: 'text', className: styles.roomy, cell: ({ actor }) => actor },
  { head: 'Reason', kind: 'text', className: styles.wordy, cell: ({ reason }) => reason },
];

export function HistoryTable({ entries }: { entries: HistoryEntry[] }) {
  return (
    <DataTable
      inCard
      caption="Entries, newest first"
      rows={entries}
      id={({ id }) => id}
      columns={COLUMNS}
    />
  );
}
