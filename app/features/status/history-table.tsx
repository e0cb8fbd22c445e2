import type { Slot } from '#server/status/index.ts';
import { count } from '#app/lib/formatters.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';
import table from '#app/ui/data-table.module.css';
import text from '#app/ui/text.module.css';
import styles from './history-table.module.css';

/** The data of the charts by hour: for screen readers, and for exact numbers. */
export function HistoryTable({ slots, genesis }: { slots: readonly Slot[]; genesis: boolean }) {
  return (
    <div
      className={styles.scroll}
      role="region"
      aria-label="The last 24 hours by hour"
      tabIndex={0}
    >
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            {genesis && (
              <>
                <th scope="col" className={text.number}>
                  Answered
                </th>
                <th scope="col" className={text.number}>
                  Failed
                </th>
                <th scope="col" className={text.number}>
                  Latency, mean
                </th>
                <th scope="col" className={text.number}>
                  highest
                </th>
              </>
            )}
            <th scope="col" className={text.number}>
              Heartbeats a minute
            </th>
            <th scope="col" className={text.number}>
              Announcements a minute
            </th>
          </tr>
        </thead>
        <tbody>
          {hoursOf(slots).map((hour) => (
            <tr key={hour.at}>
              <th scope="row">
                <ExactTime at={hour.at} precision="minute" />
              </th>
              {genesis && (
                <>
                  <td className={text.number}>{count(hour.checksOk)}</td>
                  <td className={text.number}>{count(hour.checksFailed)}</td>
                  <td className={text.number}>{known(hour.latencyMeanMs, ' ms')}</td>
                  <td className={text.number}>{known(hour.latencyMaxMs, ' ms')}</td>
                </>
              )}
              <td className={text.number}>{known(hour.pingsPerMinute)}</td>
              <td className={text.number}>{known(hour.announcesPerMinute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const known = (n: number | null, unit = '') => (n === null ? 'no data' : `${count(n)}${unit}`);

/** Four quarter-hours as one, newest first. A mean of means: near enough for a table. */
function hoursOf(slots: readonly Slot[]): Slot[] {
  const hours = new Map<string, Slot[]>();
  for (const slot of slots) {
    const hour = slot.at.slice(0, 13);
    hours.set(hour, [...(hours.get(hour) ?? []), slot]);
  }
  return [...hours]
    .map(([hour, parts]) => {
      const values = (of: (slot: Slot) => number | null) =>
        parts.map(of).filter((value) => value !== null);
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      const mean = (numbers: number[]) =>
        numbers.length === 0 ? null : Math.round(sum(numbers) / numbers.length);
      const maxima = values((slot) => slot.latencyMaxMs);
      return {
        at: `${hour}:00:00.000Z`,
        checksOk: sum(values((slot) => slot.checksOk)),
        checksFailed: sum(values((slot) => slot.checksFailed)),
        latencyMeanMs: mean(values((slot) => slot.latencyMeanMs)),
        latencyMaxMs: maxima.length === 0 ? null : Math.max(...maxima),
        pingsPerMinute: mean(values((slot) => slot.pingsPerMinute)),
        announcesPerMinute: mean(values((slot) => slot.announcesPerMinute)),
      };
    })
    .reverse();
}
