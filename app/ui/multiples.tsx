import { count } from '#app/lib/formatters.ts';
import { lastKnown, type Values } from './chart-scale.ts';
import { useDayPicker, type DayPicker } from './day-picker.ts';
import styles from './multiples.module.css';
import { Spark } from './spark.tsx';

interface Small {
  name: string;
  values: Values;
  /** How much its last value is above an earlier one; null: unknown. */
  change: number | null;
}

interface MultiplesProps {
  /** What they are, for a screen reader. */
  label: string;
  days: DayPicker;
  charts: readonly Small[];
  /** What the chosen day shows. */
  text: string;
}

/** Small charts side by side, each with a scale of its own, and one slider over the days of all. */
export function Multiples({ label, days, charts, text }: MultiplesProps) {
  // The pointer is over one of them; the keys and what is said belong to all.
  const { onPointerMove, onPointerLeave, onPointerUp, onPointerCancel, ...keys } = useDayPicker(
    days,
    label,
    text,
  );
  const pointer = { onPointerMove, onPointerLeave, onPointerUp, onPointerCancel };
  return (
    <div className={styles.multiples}>
      <div className={styles.keys} {...keys} />
      {charts.map(({ name, values, change }) => (
        <figure key={name}>
          <figcaption>
            <span className={styles.name}>{name}</span>
            <span className={styles.value}>
              {count(lastKnown(values)?.value ?? 0)} <Change by={change} />
            </span>
          </figcaption>
          <div className={styles.plot} {...pointer}>
            <Spark values={values} height={53} chosen={days.chosen} />
          </div>
        </figure>
      ))}
    </div>
  );
}

function Change({ by }: { by: number | null }) {
  if (by === null) return null;
  const sign = by > 0 ? '+' : by < 0 ? '−' : '±';
  return (
    <small data-change={Math.sign(by)}>
      {sign}
      {count(Math.abs(by))}
    </small>
  );
}
