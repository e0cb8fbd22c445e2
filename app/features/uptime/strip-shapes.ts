import type { DayStrip } from '#server/uptime/index.ts';

/**
 * The shapes of a strip of days, as SVG path data: a column is 1 wide, the bars stand on a line, and what was lost hangs
 * below it, so that no part depends on a colour.
 */

/** The measures of a strip, px: how high its bars are, and how deep a loss is at most. */
export interface StripSize {
  bar: number;
  loss: number;
}

/** Between the line and what hangs below it, px. */
export const STRIP_GAP = 1.5;
/** Height of the dash of a day without measurements, px. */
const DASH = 1.5;
/** The least of a bar or a loss that is seen, px. */
const LEAST = 2;

const DAY_SECONDS = 86_400;
/** The shortest outage, seconds: a loss is this at least, unless it spans two days. */
const SHORTEST = 300;

/** How deep a loss of so many seconds of a day hangs, px: minutes are seen, and a day is not a hundred times as deep. */
export function lossDepth(seconds: number, { loss }: StripSize): number {
  const share = Math.log(Math.max(seconds, SHORTEST) / SHORTEST) / Math.log(DAY_SECONDS / SHORTEST);
  return LEAST + (loss - LEAST) * Math.min(1, share);
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The paths of a strip. `whole` and `unknown` are lines, to be dashed into columns; the others are filled. */
export function stripShapes(offline: DayStrip['offline'], size: StripSize, width: number) {
  const shapes = { whole: '', unknown: '', part: '', track: '', loss: '' };
  const left = round((1 - width) / 2);
  const column = (n: number, y: number, height: number) =>
    `M${round(n + left)} ${round(y)}h${width}v${round(height)}h-${width}z`;
  for (let n = 0; n < offline.length; n++) {
    const seconds = offline[n] ?? null;
    if (seconds !== null && seconds > 0) {
      const height = size.bar * Math.max(0, 1 - seconds / DAY_SECONDS);
      if (height < size.bar - 1) shapes.track += column(n, 0, size.bar);
      if (height > 0) shapes.part += column(n, size.bar - Math.max(height, 1), Math.max(height, 1));
      shapes.loss += column(n, size.bar + STRIP_GAP, lossDepth(seconds, size));
      continue;
    }
    // One line for a run of days: it is dashed into columns.
    let end = n + 1;
    while (end < offline.length && offline[end] === seconds) end++;
    const [kind, y] =
      seconds === null
        ? (['unknown', size.bar - DASH / 2] as const)
        : (['whole', size.bar / 2] as const);
    shapes[kind] += `M${round(n + left)} ${y}H${round(end - left)}`;
    n = end - 1;
  }
  return { ...shapes, dash: `${width} ${round(1 - width)}`, dashHeight: DASH };
}
