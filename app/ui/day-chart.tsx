import { memo } from 'react';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { count } from '#app/lib/formatters.ts';
import {
  areaPath,
  depthOf,
  lastKnown,
  linePath,
  scaleOf,
  spreadLabels,
  type Scale,
  type Values,
} from './chart-scale.ts';
import styles from './day-chart.module.css';
import { useDayPicker, type DayPicker } from './day-picker.ts';
import { StateGlyph } from './state-glyph.tsx';

/** The colour of a line. */
export type Tone = PeerStatus | 'ink' | 'accent';

export interface DayLine {
  /** Beside its end. */
  name: string;
  values: Values;
  tone: Tone;
  /** Lines of one colour differ in their dashes. */
  dash?: 'long' | 'short';
  /** The area below it is filled. */
  area?: true;
  /** Its end has the shape of this status instead of a dot. */
  glyph?: PeerStatus;
}

interface DayChartProps {
  /** What it is, for a screen reader. */
  label: string;
  days: DayPicker;
  lines: readonly DayLine[];
  /** Below the days: at the left, at a third, at two thirds, at the right. */
  dates: readonly string[];
  /** Proportions: see the style. */
  size: keyof typeof LEAST_HEIGHT;
  /** The axis begins at zero. Otherwise say where it does: {@link scaleOf}. */
  fromZero?: boolean;
  /** A value beside a line's end. */
  format?: (value: number) => string;
  /** What the chosen day shows. */
  text: string;
  /** Below the lines, what came up and what went down on each day. */
  bars?: { up: Values; down: Values };
}

/** Height of the drawing in its own units; it is stretched to the size that the style gives it. */
const UNITS = 1000;
/** Distance between two labels, px. */
const LABEL_GAP = 16;
/** The least height of each size, as the style has them, px. */
const LEAST_HEIGHT = { bars: 164, tall: 182, low: 152, lower: 148 } as const;
/** Height of the bars below and their middle, px. */
const [BARS, BASE, BAR_MAX] = [41, 24.5, 16];

/** Lines over days, with an axis, the values at their ends and the chosen day. SVG that needs no script. */
export function DayChart(props: DayChartProps) {
  const { label, days, lines, dates, size, fromZero = true, format = count, text, bars } = props;
  const scale = scaleOf(
    lines.map(({ values }) => values),
    fromZero,
  );
  const picking = useDayPicker(days, label, text);
  const x = `${(days.chosen / Math.max(1, days.count - 1)) * 100}%`;
  const labels = scale.ticks.map(count);
  const axisWidth = Math.max(32, Math.max(...labels.map(({ length }) => length)) * 7 + 14);
  return (
    <div className={styles.chart} data-size={size}>
      <svg className={styles.axis} width={axisWidth} aria-hidden>
        {scale.ticks.map((tick, n) => (
          <text key={tick} x={axisWidth - 8} y={percentOf(depthOf(tick, scale))} dy="4">
            {labels[n]}
          </text>
        ))}
      </svg>
      <div className={styles.body} {...picking}>
        <svg className={styles.plot} aria-hidden>
          <Lines lines={lines} scale={scale} count={days.count} />
          <line className={styles.chosen} x1={x} x2={x} y1="0" y2="100%" />
          {lines.map(({ name, values, tone }) => {
            const value = values[days.chosen] ?? null;
            return (
              value !== null && (
                <circle
                  key={name}
                  className={styles[tone]}
                  cx={x}
                  cy={percentOf(depthOf(value, scale))}
                  r="3.4"
                />
              )
            );
          })}
        </svg>
        {bars && <Bars {...bars} chosen={days.chosen} />}
        <svg className={styles.dates} aria-hidden>
          {dates.map((date, n) => {
            const share = n / Math.max(1, dates.length - 1);
            return (
              <text
                key={share}
                x={percentOf(share)}
                y="17"
                textAnchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
              >
                {date}
              </text>
            );
          })}
        </svg>
      </div>
      <Labels lines={lines} scale={scale} format={format} gap={LABEL_GAP / LEAST_HEIGHT[size]} />
    </div>
  );
}

const percentOf = (share: number) => `${Math.round(share * 10_000) / 100}%`;

interface Drawn {
  lines: readonly DayLine[];
  scale: Scale;
}

/** What stays as it is while the pointer moves. */
const Lines = memo(
  function Lines({ lines, scale, count }: Drawn & { count: number }) {
    return (
      <>
        {scale.ticks.map((tick) => {
          const y = percentOf(depthOf(tick, scale));
          return <line key={tick} className={styles.tick} x1="0" x2="100%" y1={y} y2={y} />;
        })}
        <svg
          viewBox={`0 0 ${Math.max(1, count - 1)} ${UNITS}`}
          preserveAspectRatio="none"
          overflow="visible"
        >
          {lines.map(
            ({ name, values, area }) =>
              area && (
                <path key={name} className={styles.area} d={areaPath(values, scale, UNITS)} />
              ),
          )}
          {lines.map(({ name, values, tone, dash }) => (
            <path
              key={name}
              className={`${styles.line} ${styles[tone]}`}
              data-dash={dash}
              d={linePath(values, scale, UNITS)}
            />
          ))}
        </svg>
        {lines.map(({ name, values, tone, glyph }) => {
          const last = lastKnown(values);
          return (
            last &&
            !glyph && (
              <circle
                key={name}
                className={styles[tone]}
                cx={percentOf(last.at / Math.max(1, count - 1))}
                cy={percentOf(depthOf(last.value, scale))}
                r="3.4"
              />
            )
          );
        })}
      </>
    );
  },
  (before, now) =>
    before.count === now.count &&
    before.lines.length === now.lines.length &&
    before.lines.every(({ values }, n) => values === now.lines[n]?.values),
);

/** The last value of each line and its name, beside its end. */
function Labels({
  lines,
  scale,
  format,
  gap,
}: Drawn & { format: (value: number) => string; gap: number }) {
  const ends = lines.flatMap((line) => {
    const last = lastKnown(line.values);
    return last ? [{ ...line, value: format(last.value), depth: depthOf(last.value, scale) }] : [];
  });
  const depths = spreadLabels(
    ends.map(({ depth }) => depth),
    gap,
  );
  const longest = Math.max(0, ...ends.map(({ value, name }) => `${value} ${name}`.length));
  const marked = ends.some(({ glyph }) => glyph !== undefined);
  const start = marked ? 18 : 9;
  return (
    <svg className={styles.labels} width={start + longest * 6.6 + 2} aria-hidden>
      {ends.map(({ name, value, glyph }, n) => {
        const y = percentOf(depths[n] ?? 0);
        return (
          <g key={name}>
            {glyph && (
              <svg x="3" y={y} overflow="visible">
                <g transform="translate(0 -5.5)">
                  <StateGlyph state={glyph} size={11} />
                </g>
              </svg>
            )}
            <text x={start} y={y} dy="4">
              <tspan className={styles.value}>{value}</tspan> {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Bars up for what came and down for what went, one for each day. */
const Bars = memo(function Bars({
  up,
  down,
  chosen,
}: {
  up: Values;
  down: Values;
  chosen: number;
}) {
  const most = Math.max(1, ...[...up, ...down].map((n) => n ?? 0));
  const high = (n: number | null | undefined) => Math.round(((n ?? 0) / most) * BAR_MAX * 10) / 10;
  const column = (n: number, y: number, height: number) =>
    height === 0 ? '' : `M${n - 0.3} ${y}h.6v${height}h-.6z`;
  const columns = (values: Values, sign: 1 | -1) =>
    values
      .map((value, n) => column(n, sign > 0 ? BASE - high(value) - 0.5 : BASE + 0.5, high(value)))
      .join('');
  const width = Math.max(1, up.length - 1);
  return (
    <svg className={styles.bars} height={BARS} aria-hidden>
      <line className={styles.base} x1="0" x2="100%" y1={BASE} y2={BASE} />
      <svg viewBox={`0 0 ${width} ${BARS}`} preserveAspectRatio="none" overflow="visible">
        <path className={styles.up} d={columns(up, 1)} />
        <path className={styles.down} d={columns(down, -1)} />
        <path
          className={styles.upChosen}
          d={column(chosen, BASE - high(up[chosen]) - 0.5, high(up[chosen]))}
        />
        <path className={styles.downChosen} d={column(chosen, BASE + 0.5, high(down[chosen]))} />
      </svg>
    </svg>
  );
});
