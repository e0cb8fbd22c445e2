import { useId, type ReactNode } from 'react';
import type { Slot } from '#server/status/index.ts';
import { count } from '#app/lib/formatters.ts';
import { runsOf } from '#app/ui/chart-scale.ts';
import styles from './charts.module.css';
import { useTimes, type Times } from './labels.ts';

/**
 * Charts of a day as plain SVG, made on the server. Widths are percentages and the curves are stretched in an
 * inner drawing, so that they fit any screen while their text keeps its size. All share one axis of time; a
 * quarter-hour without data is left out.
 */

/** Height of the axis, px. */
const AXIS = 22;

interface ChartProps {
  slots: readonly Slot[];
  title: string;
  /** A description for people who can't see the chart. */
  description: string;
  /** Height of the drawing, without the axis, px. */
  height: number;
  /** The tooltip of a quarter-hour. */
  explain: (slot: Slot, n: number) => string;
  /** Lines and labels at their full size. */
  grid?: ReactNode;
  /** Drawn with one unit of width per slot, and pixels of height. */
  children: ReactNode;
}

export function Chart({ slots, title, description, height, explain, grid, children }: ChartProps) {
  const id = useId();
  const times = useTimes();
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
            <title>{`${times.full(slot.at)}: ${explain(slot, n)}`}</title>
          </rect>
        ))}
      </svg>
      {grid}
    </svg>
  );
}

/** A line at every third hour of the clock; on a narrow screen every second of them is named. */
function TimeAxis({ slots, height }: { slots: readonly Slot[]; height: number }) {
  const times = useTimes();
  return (
    <g className={styles.axis}>
      {slots.map(({ at }, n) => {
        const time = times.short(at);
        const hour = Number(time.slice(0, 2));
        if (hour % 3 !== 0 || !time.endsWith(':00')) return null;
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
              {time}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Height of the drawing, and the room for the label of its topmost line, px. */
const [HEIGHT, HEAD] = [148, 18];
/** Room above the highest value, as a factor. */
const ROOM = 1.05;

export interface CurveProps {
  slots: readonly Slot[];
  title: string;
  unit: string;
  /** The curve; a slot without a value is a gap. */
  value: (slot: Slot) => number | null;
  /** Where the shaded area above or below the curve ends. */
  shade: (slot: Slot) => number;
  /** The least value at the top of the chart. */
  atLeast: number;
  explain: (slot: Slot) => string;
}

/** Quarter-hours as steps, so that a single one between gaps is visible. */
export function CurveChart({ slots, title, unit, value, shade, atLeast, explain }: CurveProps) {
  const times = useTimes();
  const known = slots.filter((slot) => value(slot) !== null);
  const highest = Math.max(...known.map((slot) => Math.max(value(slot) ?? 0, shade(slot))));
  const top = niceTop(Math.max(atLeast, highest * ROOM));
  const y = (n: number) => HEAD + (1 - n / top) * (HEIGHT - HEAD - 1);
  const runs = runsOf(slots.map(value));
  return (
    <Chart
      slots={slots}
      title={title}
      description={rangeInWords(known, value, unit, times)}
      height={HEIGHT}
      explain={explain}
      grid={
        <>
          {[0, top / 2, top].map((n) => (
            <g key={n} className={styles.grid}>
              <line x1="0" x2="100%" y1={y(n)} y2={y(n)} />
              <text y={y(n) - 4}>{n === 0 ? '0' : `${count(n)} ${unit}`}</text>
            </g>
          ))}
          {known.length === 0 && (
            <text className={styles.empty} x="50%" y={HEIGHT / 2 + 24} textAnchor="middle">
              No data yet. The first value appears after a minute.
            </text>
          )}
        </>
      }
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

/** The corners of a stair that has one step per value. */
const steps = (from: number, heights: number[]): string[] =>
  heights.flatMap((height, n) => {
    const at = Math.round(height * 10) / 10;
    return [`${from + n} ${at}`, `${from + n + 1} ${at}`];
  });

/** The next of 10, 12, 16, 20, 30, 40, 50, 60, 80, 100, 120 … above (10 or more): its half is a whole number too. */
function niceTop(n: number): number {
  const power = 10 ** Math.floor(Math.log10(n));
  return ([1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= n) ?? 10) * power;
}

function rangeInWords(
  known: readonly Slot[],
  value: (slot: Slot) => number | null,
  unit: string,
  times: Times,
): string {
  const [first, ...rest] = known;
  if (!first) return 'No data yet.';
  const of = (slot: Slot) => value(slot) ?? 0;
  const highest = rest.reduce((best, slot) => (of(slot) > of(best) ? slot : best), first);
  const lowest = rest.reduce((best, slot) => (of(slot) < of(best) ? slot : best), first);
  return `Between ${count(of(lowest))} ${unit} (${times.full(lowest.at)}) and ${count(of(highest))} ${unit} (${times.full(highest.at)}), by quarter-hour.`;
}
