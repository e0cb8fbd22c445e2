import { useMemo } from 'react';
import type { TrendDay } from '#server/uptime/index.ts';
import { count, dateText, percent } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import styles from './trends-table.module.css';
import { shareOf } from './trends-text.ts';

const UNKNOWN = '–';

const number = (head: string, of: (day: TrendDay) => number | null): Column<TrendDay> => ({
  head,
  kind: 'number',
  cell: (day) => {
    const value = of(day);
    return value === null ? UNKNOWN : count(value);
  },
});

const COLUMNS: Column<TrendDay>[] = [
  {
    head: 'Day (UTC)',
    kind: 'name',
    className: styles.day,
    cell: ({ day }) => <time dateTime={day}>{dateText(day)}</time>,
  },
  number('Nodes', ({ nodes }) => nodes),
  {
    head: 'Online, share',
    kind: 'number',
    cell: (day) => {
      const share = shareOf(day, 'online');
      return share === null ? UNKNOWN : percent(share);
    },
  },
  number('Online', ({ online }) => online),
  number('Syncing', ({ syncing }) => syncing),
  number('Idle', ({ idle }) => idle),
  number('Offline', ({ offline }) => offline),
  number('Joined', ({ joined }) => joined),
  number('Left', ({ left }) => left),
  number('Free slots', ({ freeSlots }) => freeSlots),
  number('Offers', ({ offers }) => offers),
  number('Names', ({ names }) => names),
  number('Small', (day) => day.class?.S ?? null),
  number('Medium', (day) => day.class?.M ?? null),
  number('Large', (day) => day.class?.L ?? null),
];

/** The day, and what was counted on any of the days. */
const columnsOf = (days: readonly TrendDay[]) =>
  COLUMNS.filter(({ kind, cell }) => kind === 'name' || days.some((day) => cell(day) !== UNKNOWN));

/** The numbers of the charts, newest first. A dash: not measured, or not counted yet on that day. */
export function TrendsTable({ days }: { days: readonly TrendDay[] }) {
  const columns = useMemo(() => columnsOf(days), [days]);
  return (
    <div className={styles.scroll} role="region" aria-label="The days in numbers" tabIndex={0}>
      <DataTable
        caption="The network by the day, newest first"
        columns={columns}
        rows={days.toReversed()}
        id={({ day }) => day}
        cards={false}
      />
    </div>
  );
}
