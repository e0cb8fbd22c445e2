import type { RttStatus } from '../base/status.ts';

/** Weights of a new measurement, as RFC 6298 has them for TCP: smooth enough for one slow answer to be no alarm. */
const SMOOTHING = 1 / 8;
const JITTER_SMOOTHING = 1 / 4;

/** The round trips of one session. */
export class RoundTrip {
  #status: RttStatus | null = null;

  /** @param ms by a clock that never goes back; anything that is no duration is left out */
  add(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0) return;
    const before = this.#status;
    this.#status = before
      ? {
          last: ms,
          min: Math.min(before.min, ms),
          smoothed: before.smoothed + (ms - before.smoothed) * SMOOTHING,
          // The jitter is measured from the mean before this one, which the jump itself has not moved yet.
          jitter:
            before.jitter + (Math.abs(ms - before.smoothed) - before.jitter) * JITTER_SMOOTHING,
          count: before.count + 1,
        }
      : { last: ms, min: ms, smoothed: ms, jitter: ms / 2, count: 1 };
  }

  /** Null: nothing measured yet. */
  get status(): RttStatus | null {
    return this.#status;
  }
}
