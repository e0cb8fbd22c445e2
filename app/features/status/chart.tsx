import { useId, type ReactNode } from 'react';
import type { Slot } from '#server/status/index.ts';
import styles from './charts.module.css';
import { useTimes } from './use-times.ts';

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
  /** Of the drawing, without the axis, px. */
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
