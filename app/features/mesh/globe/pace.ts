/** A frame that comes later than this after the one before is late; after a longer pause nothing was moving (ms). */
const LATE_MS = 34;
const PAUSE_MS = 300;
/** So many late frames are too many. Each frame in time makes up for a part of one. */
const MOST = 3;
const FORGIVEN = 0.25;

/** Notices a device that is too slow for its resolution. */
export class Pace {
  slow = false;
  #last = 0;
  #late = 0;

  /** @param now of a frame while the globe moves, ms */
  note(now: number): void {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > PAUSE_MS) return;
    this.#late = Math.max(0, this.#late + (gap > LATE_MS ? 1 : -FORGIVEN));
    this.slow ||= this.#late >= MOST;
  }
}
