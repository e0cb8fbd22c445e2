import type { Slot, StatusSummary } from '#server/status/index.ts';
import { count } from '#app/lib/formatters.ts';
import { Chart } from './charts.tsx';
import styles from './charts.module.css';
import { runningIn } from './labels.ts';

/** Half the height of a strip, px: above its line is what worked, below it what didn't. */
const HALF = 20;

interface StripProps {
  slots: readonly Slot[];
  title: string;
  summary: string;
  /** The share of the slot that worked, from 0 to 1; null if nothing is known. */
  share: (slot: Slot, n: number) => number | null;
  explain: (slot: Slot, n: number) => string;
}

function Strip({ slots, title, summary, share, explain }: StripProps) {
  return (
    <Chart
      slots={slots}
      title={title}
      description={summary}
      height={2 * HALF}
      explain={explain}
      grid={<line className={styles.base} x1="0" x2="100%" y1={HALF} y2={HALF} />}
    >
      {slots.map((slot, n) => {
        const worked = share(slot, n);
        if (worked === null) return null;
        const bar = { x: n + 0.15, width: 0.7 };
        // Even a little of either stays visible.
        const tall = (part: number) => 4 + (HALF - 5) * part;
        return (
          <g key={slot.at}>
            {worked > 0 && (
              <rect {...bar} className={styles.up} y={HALF - tall(worked)} height={tall(worked)} />
            )}
            {worked < 1 && (
              <rect {...bar} className={styles.down} y={HALF} height={tall(1 - worked)} />
            )}
          </g>
        );
      })}
    </Chart>
  );
}

/** In which quarter-hours the service ran. */
export function ServiceStrip({
  history,
  summary,
}: {
  history: StatusSummary['history'];
  summary: string;
}) {
  const running = runningIn(history);
  return (
    <Strip
      slots={history.slots}
      title="The service over 24 hours"
      summary={summary}
      share={(_, n) => (running[n] === null ? null : Number(running[n]))}
      explain={(_, n) => (running[n] === null ? 'no data' : running[n] ? 'running' : 'not running')}
    />
  );
}

/** In which quarter-hours Genesis answered its checks. */
export function GenesisStrip({ slots, summary }: { slots: readonly Slot[]; summary: string }) {
  const checks = ({ checksOk, checksFailed }: Slot) => checksOk + checksFailed;
  return (
    <Strip
      slots={slots}
      title="Genesis over 24 hours"
      summary={summary}
      share={(slot) => (checks(slot) === 0 ? null : slot.checksOk / checks(slot))}
      explain={(slot) =>
        checks(slot) === 0
          ? 'not checked'
          : `${count(slot.checksOk)} of ${count(checks(slot))} checks answered`
      }
    />
  );
}

/** What the bars of the strips mean. */
export function StripLegend() {
  const key = (up: boolean, down: boolean, words: string) => (
    <li>
      <svg viewBox="0 0 12 20" width="12" height="20" aria-hidden>
        {up && (
          <rect className={styles.up} x="3" y={down ? 5 : 1} width="6" height={down ? 5 : 9} />
        )}
        {down && <rect className={styles.down} x="3" y="10" width="6" height={up ? 5 : 9} />}
        <line className={styles.base} x2="12" y1="10" y2="10" />
      </svg>
      {words}
    </li>
  );
  return (
    <ul className={styles.legend}>
      {key(true, false, 'worked')}
      {key(true, true, 'worked at times')}
      {key(false, true, 'didn’t work')}
      {key(false, false, 'no data')}
    </ul>
  );
}
