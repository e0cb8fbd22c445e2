/** Heartbeats of each of the last seconds, for as long as a page is open. */

/** How many seconds have a bar. */
export const BARS = 60;

/** One number a second, the newest last; null: not known. */
export type Bars = readonly (number | null)[];

export class BeatLog {
  #bars: (number | null)[];
  /** The end of the newest second, ms. */
  #last: number;

  /**
   * @param counts of the seconds before the page was made, oldest first
   * @param now when that was, ms
   */
  constructor(counts: readonly number[], now: number) {
    this.#bars = [...Array<null>(BARS).fill(null), ...counts].slice(-BARS);
    this.#last = now;
  }

  /**
   * What a change of the stream brings: changes come at most once a second, and only seconds without a heartbeat have
   * none, so those in between are zero.
   * @param beats null: more than a second has passed since the last change, so nothing is known of what was in between
   * @param now the change's moment, ms
   */
  add(beats: number | null, now: number): void {
    const seconds = Math.max(1, Math.round((now - this.#last) / 1000));
    this.#push(seconds, beats === null ? null : 0);
    if (beats !== null) this.#bars[BARS - 1] = beats;
    this.#last = now;
  }

  /** As they are now (ms). @param live whether a heartbeat would have been heard of; otherwise nothing is known */
  at(now: number, live: boolean): Bars {
    // The newest change may still be on its way.
    const silent = Math.floor((now - this.#last) / 1000) - 1;
    if (silent <= 0) return this.#bars;
    const fill = Array<number | null>(Math.min(BARS, silent)).fill(live ? 0 : null);
    return [...this.#bars, ...fill].slice(-BARS);
  }

  #push(seconds: number, value: number | null): void {
    const fill = Array<number | null>(Math.min(BARS, seconds)).fill(value);
    this.#bars = [...this.#bars, ...fill].slice(-BARS);
  }
}

/** The mean of the seconds that are known, as "31" or "0.05"; null: none is. */
export function beatsText(bars: Bars): string | null {
  const known = bars.filter((bar) => bar !== null);
  if (known.length === 0) return null;
  const mean = known.reduce((sum, bar) => sum + bar, 0) / known.length;
  // A node sends one every 20 s, so a few nodes have hundredths a second.
  const step = mean < 1 ? 100 : mean < 9.95 ? 10 : 1;
  return (Math.round(mean * step) / step).toLocaleString('en-US');
}

/** Height of the drawing, and the least height of a second with a heartbeat, px. */
export const BARS_HEIGHT = 20;
const LEAST = 3;
/** From one bar to the next, px. */
export const BAR_STEP = 3;

/** All bars as the strokes of one path, from the line up: short, as every page has it. A second without a heartbeat is a dot on the line; one that isn't known is nothing. */
export function barsPath(bars: Bars): string {
  const most = Math.max(1, ...bars.map((bar) => bar ?? 0));
  return bars
    .map((bar, n) => {
      if (bar === null) return '';
      const height = bar === 0 ? 1 : LEAST + (bar / most) * (BARS_HEIGHT - LEAST);
      return `M${n * BAR_STEP + 1} ${BARS_HEIGHT}v-${Math.round(height)}`;
    })
    .join('');
}
