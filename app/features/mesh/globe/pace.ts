/** Notices a device that is too slow for its resolution: three late frames in a row of a movement. */
export class Pace {
  slow = false;
  #last = 0;
  #late = 0;

  /** @param now of this frame, ms */
  note(now: number, moving: boolean): void {
    const gap = now - this.#last;
    this.#last = now;
    // A pause of the visitor is not a late frame.
    this.#late = moving && gap > 34 && gap < 300 ? this.#late + 1 : 0;
    this.slow ||= this.#late >= 3;
  }
}
