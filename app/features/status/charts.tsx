import { useId, type ReactNode } from 'react';
import type { Slot } from '#server/status/index.ts';
import { count } from '#app/lib/formatters.ts';
import { clockTime } from './labels.ts';
import styles from './status.module.css';

/**
 * Charts of a day as plain SVG, made on the server. Widths are percentages and the curves are stretched in an
 * inner drawing, so that they fit any screen while their text keeps its size. All share one axis of time; a
 * quarter-hour without data is left out.
 */

const AXIS = 22;
const SLOT_MS = 15 * 60_000;

interface ChartProps {
  slots: readonly Slot[];
  title: string;
  /** A description for people who can't see the chart. */
  description: string;
  /** Of the drawing, without the axis, px. */
  height: number;
  /** The tooltip of a quarter-hour. */
  explain: (slot: Slot) => string;
  /** Lines and labels at their full size. */
  grid?: ReactNode;
  /** Drawn with one unit of width per slot, and pixels of height. */
  children: ReactNode;
}

function Chart({ slots, title, description, height, explain, grid, children }: ChartProps) {
  const id = useId();
  return (
    <svg
      className={styles.chart}
      width="100%"
      height={height + AXIS}
      role="img"
      aria-labelledby={`${id}t ${id}d`}
    >
      <title id={`${id}t`}>{title}</title>
      <desc id={`${id}d`}>{description}</desc>
      <TimeAxis slots={slots} height={height} />
      <svg
        width="100%"
        height={height}
        viewBox={`0 0 ${slots.length} ${height}`}
        preserveAspectRatio="none"
      >
        {children}
        {slots.map((slot, n) => (
          <rect key={slot.at} className={styles.hit} x={n} width="1" height={height}>
            <title>{`${clockTime(slot.at)} UTC: ${explain(slot)}`}</title>
          </rect>
        ))}
      </svg>
      {grid}
    </svg>
  );
}

/** A line at every third hour of the clock; on a narrow screen every second of them is named. */
function TimeAxis({ slots, height }: { slots: readonly Slot[]; height: number }) {
  return (
    <g className={styles.axis}>
      {slots.map(({ at }, n) => {
        const hour = Date.parse(at) / (4 * SLOT_MS);
        if (hour % 3 !== 0) return null;
        const share = (n / slots.length) * 100;
        const x = `${share}%`;
        return (
          <g key={at} className={hour % 6 === 0 ? undefined : styles.minor}>
            <line x1={x} x2={x} y2={height} />
            <text
              x={x}
              y={height + 16}
              textAnchor={share < 5 ? 'start' : share > 95 ? 'end' : 'middle'}
            >
              {clockTime(at)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Answered checks are bars above the line, failed ones bars below it. */
export function GenesisStrip({ slots, summary }: { slots: readonly Slot[]; summary: string }) {
  const half = 26;
  return (
    <Chart
      slots={slots}
      title="Genesis over 24 hours"
      description={summary}
      height={2 * half}
      explain={checksInWords}
      grid={<line className={styles.base} x1="0" x2="100%" y1={half} y2={half} />}
    >
      {slots.map(({ at, checksOk, checksFailed }, n) => {
        const share = checksOk / (checksOk + checksFailed);
        const bar = { x: n + 0.15, width: 0.7 };
        // Even a few of either stay visible.
        const tall = (part: number) => 4 + (half - 5) * part;
        return (
          <g key={at}>
            {checksOk > 0 && (
              <rect {...bar} className={styles.up} y={half - tall(share)} height={tall(share)} />
            )}
            {checksFailed > 0 && (
              <rect {...bar} className={styles.down} y={half} height={tall(1 - share)} />
            )}
          </g>
        );
      })}
    </Chart>
  );
}

function checksInWords({ checksOk, checksFailed }: Slot): string {
  const all = checksOk + checksFailed;
  return all === 0 ? 'not checked' : `${count(checksOk)} of ${count(all)} checks answered`;
}

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
      {key(true, false, 'all checks answered')}
      {key(true, true, 'some not answered')}
      {key(false, true, 'none answered')}
      {key(false, false, 'not checked')}
    </ul>
  );
}

interface CurveProps {
  slots: readonly Slot[];
  title: string;
  unit: string;
  /** The curve; a slot without a value is a gap. */
  value: (slot: Slot) => number | null;
  /** Where the shaded area above or below the curve ends; far above the curve it is cut off. */
  shade: (slot: Slot) => number;
  /** The least value at the top of the chart. */
  atLeast: number;
  explain: (slot: Slot) => string;
}

/** Quarter-hours as steps, so that a single one between gaps is visible. */
export function CurveChart({ slots, title, unit, value, shade, atLeast, explain }: CurveProps) {
  const height = 132;
  /** Room for the label of the topmost line. */
  const head = 18;
  const known = slots.filter((slot) => value(slot) !== null);
  const top = niceTop(Math.max(atLeast, ...known.map((slot) => (value(slot) ?? 0) * 1.2)));
  const y = (n: number) => head + (1 - n / top) * (height - head - 1);
  const runs = runsOf(slots, value);
  return (
    <Chart
      slots={slots}
      title={title}
      description={rangeInWords(known, value, unit)}
      height={height}
      explain={explain}
      grid={[0, top / 2, top].map((n) => (
        <g key={n} className={styles.grid}>
          <line x1="0" x2="100%" y1={y(n)} y2={y(n)} />
          {n > 0 && <text y={y(n) - 4}>{`${count(n)} ${unit}`}</text>}
        </g>
      ))}
    >
      {runs.map(({ from, values }) => {
        const line = steps(from, values.map(y));
        const back = steps(
          from,
          values.map((_, n) => y(shade(slots[from + n] as Slot))),
        );
        return (
          <g key={from}>
            <path className={styles.shade} d={`M${line.join('L')}L${back.reverse().join('L')}Z`} />
            <path className={styles.line} d={`M${line.join('L')}`} />
          </g>
        );
      })}
    </Chart>
  );
}

/** Slots with a value that follow one another. */
function runsOf(
  slots: readonly Slot[],
  value: (slot: Slot) => number | null,
): { from: number; values: number[] }[] {
  const runs: { from: number; values: number[] }[] = [];
  let open = false;
  slots.forEach((slot, at) => {
    const known = value(slot);
    if (known !== null) {
      if (!open) runs.push({ from: at, values: [] });
      runs.at(-1)?.values.push(known);
    }
    open = known !== null;
  });
  return runs;
}

/** The corners of a stair, one step per value. */
const steps = (from: number, heights: number[]): string[] =>
  heights.flatMap((height, n) => {
    const at = Math.round(height * 10) / 10;
    return [`${from + n} ${at}`, `${from + n + 1} ${at}`];
  });

/** The next of 10, 20, 30, 40, 50, 60, 80, 100, 200 … above: its half is a whole number too. */
function niceTop(n: number): number {
  const power = 10 ** Math.floor(Math.log10(n));
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= n) ?? 10) * power;
}

function rangeInWords(
  known: readonly Slot[],
  value: (slot: Slot) => number | null,
  unit: string,
): string {
  const [first, ...rest] = known;
  if (!first) return 'No data yet.';
  const of = (slot: Slot) => value(slot) ?? 0;
  const highest = rest.reduce((best, slot) => (of(slot) > of(best) ? slot : best), first);
  const lowest = rest.reduce((best, slot) => (of(slot) < of(best) ? slot : best), first);
  return `Between ${count(of(lowest))} ${unit} (${clockTime(lowest.at)} UTC) and ${count(of(highest))} ${unit} (${clockTime(highest.at)} UTC), by quarter-hour.`;
}
