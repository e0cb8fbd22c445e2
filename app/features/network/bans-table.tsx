import type { NetworkSummary } from '#server/network/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';

/** The bans that hold. */
export function BansTable({ bans: { total, newest } }: Pick<NetworkSummary, 'bans'>) {
  return (
    <Section title={heading(total)}>
      {total === 0 ? (
        <p className={text.secondary}>Every peer may take part.</p>
      ) : (
        <>
          {newest.length < total && (
            <p className={text.secondary}>
              The newest {count(newest.length)}. <a href={hrefs.api.truth()}>The signed settings</a>{' '}
              list them all.
            </p>
          )}
          <DataTable
            inCard
            caption="Banned peers"
            rows={newest}
            id={({ peer }) => peer}
            columns={COLUMNS}
          />
        </>
      )}
    </Section>
  );
}

const COLUMNS: Column<NetworkSummary['bans']['newest'][number]>[] = [
  {
    head: 'Peer',
    kind: 'name',
    phone: 'full',
    cell: ({ peer }) => <code>{peer}</code>,
  },
  { head: 'Reason', kind: 'text', cell: ({ reason }) => reason || '–' },
  {
    head: 'Since',
    kind: 'word',
    cell: ({ since }) => <ExactTime at={since} precision="date" />,
  },
  {
    head: 'Until',
    kind: 'word',
    cell: ({ until }) => (until === null ? 'No end' : <ExactTime at={until} precision="date" />),
  },
];

const heading = (total: number) =>
  total === 0 ? 'No bans' : total === 1 ? '1 ban' : `${count(total)} bans`;
