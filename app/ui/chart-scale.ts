/** Scales and lines of charts, as SVG: the same code for a spark line, a chart of days and a grid of small charts. */

/** A value at each step; null is a gap, which no line bridges. */
export type Values = readonly (number | null)[];

/** Neighbouring values that are known, each run with the index of its first. */
export function runsOf(values: Values): { from: number; values: number[] }[] {
  const runs: { from: number; values: number[] }[] = [];
  let open = false;
  values.forEach((value, at) => {
    if (value !== null) {
      if (!open) runs.push({ from: at, values: [] });
      runs.at(-1)?.values.push(value);
    }
    open = value !== null;
  });
  return runs;
}

/** The last known value and its index; null: none is known. */
export function lastKnown(values: Values): { at: number; value: number } | null {
  const at = values.findLastIndex((value) => value !== null);
  const value = values[at];
  return value === undefined || value === null ? null : { at, value };
}

/** A vertical axis: where it begins and ends, and its ticks. */
export interface Scale {
  from: number;
  to: number;
  ticks: number[];
}

/** Room above the highest value, as a factor of the range. */
const ROOM = 1.04;
/** A flat line far from zero would look like no change at all: such an axis begins further up. */
const FLAT = 0.6;

/**
 * An axis with two to six round ticks.
 * @param fromZero always begin at zero; otherwise the axis may begin further up, and `from` says where
 */
export function scaleOf(values: readonly Values[], fromZero: boolean): Scale {
  const known = values.flatMap((line) => line.filter((value) => value !== null));
  const highest = Math.max(0, ...known);
  const lowest = known.length === 0 ? 0 : Math.min(...known);
  const raised = !fromZero && highest > lowest && lowest > FLAT * highest;
  const step = roundStep((highest - (raised ? lowest : 0)) / 4);
  const from = raised ? Math.floor(lowest / step) * step : 0;
  const to = Math.max(from + step, from + (highest - from) * ROOM);
  const ticks: number[] = [];
  for (let tick = from; tick <= to; tick += step) ticks.push(tick);
  return { from, to, ticks };
}

/** The next of 1, 2, 5, 10, 20, 50 … that isn't below `least`: ticks are whole numbers. */
function roundStep(least: number): number {
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}

/** How far down a value is in a chart, from 0 at its top to 1. */
export const depthOf = (value: number, { from, to }: Scale): number =>
  1 - (value - from) / (to - from);

const short = (n: number) => Math.round(n * 10) / 10;

/**
 * The path of a line, one unit wide a step; a run of a single step is a dot, if its line has round ends.
 * @param height of the drawing
 */
export const linePath = (values: Values, scale: Scale, height: number): string =>
  runsOf(values)
    .map(({ from, values }) =>
      values.length === 1
        ? `M${from} ${short(depthOf(values[0] ?? 0, scale) * height)}h0`
        : `M${values.map((value, n) => `${from + n} ${short(depthOf(value, scale) * height)}`).join('L')}`,
    )
    .join('');

/** The path of the area between a line and the axis. */
export const areaPath = (values: Values, scale: Scale, height: number): string =>
  runsOf(values)
    .filter(({ values }) => values.length > 1)
    .map(({ from, values }) => {
      const line = values.map(
        (value, n) => `L${from + n} ${short(depthOf(value, scale) * height)}`,
      );
      return `M${from} ${height}${line.join('')}L${from + values.length - 1} ${height}Z`;
    })
    .join('');

/**
 * Heights of labels beside the ends of lines, from 0 to 1, in the order given: as near to their lines as they can be
 * without being nearer to each other than `least`.
 */
export function spreadLabels(depths: readonly number[], least: number): number[] {
  const order = depths.map((_, n) => n).sort((a, b) => (depths[a] ?? 0) - (depths[b] ?? 0));
  const placed = [...depths];
  order.forEach((n, rank) => {
    const above = order[rank - 1];
    if (above !== undefined) placed[n] = Math.max(placed[n] ?? 0, (placed[above] ?? 0) + least);
  });
  // What was pushed out below goes back up, and pushes the ones above it.
  let most = 1;
  for (const n of order.toReversed()) {
    placed[n] = Math.min(placed[n] ?? 0, most);
    most = (placed[n] ?? 0) - least;
  }
  return placed;
}
