/** How often a missing record is asked for: with each poll at first, then every ten seconds. Milliseconds. */
const OFTEN_MS = 10_000;
const RARELY_MS = 10_000;
/** A record that is not there after this long will never come: its transaction failed. Milliseconds. */
export const GIVE_UP_MS = 10 * 60_000;
/** This many records before the first one found of a new server may still be in transit. */
const BEFORE_FIRST = 100;
/** Beyond this the position is useless, and the reader loads everything. */
export const MISSING_MAX = 10_000;

interface Missing {
  since: number;
  askAt: number;
}

/**
 * Which records of one server have been read. Groups commit in any order: a number that was skipped is missing until
 * its record appears, or until it is given up.
 */
export class FeedPosition {
  #top: number | undefined;
  readonly #missing = new Map<number, Missing>();

  /** The highest number read; 0 before the first. */
  get top(): number {
    return this.#top ?? 0;
  }

  get missingCount(): number {
    return this.#missing.size;
  }

  missing(): number[] {
    return [...this.#missing.keys()];
  }

  /**
   * Takes note of a record.
   * @param now milliseconds of a monotonic clock
   * @returns whether it is new
   */
  accept(number: number, now: number): boolean {
    if (this.#missing.delete(number)) return true;
    if (number <= this.top) return false;
    const from = this.#top === undefined ? Math.max(1, number - BEFORE_FIRST) : this.#top + 1;
    for (let skipped = Math.max(from, number - MISSING_MAX - 1); skipped < number; skipped++)
      this.expect(skipped, now);
    this.#top = number;
    return true;
  }

  /** Takes note that a record with this number may appear. */
  expect(number: number, now: number): void {
    this.#missing.set(number, { since: now, askAt: now });
  }

  /** The missing numbers to ask for now; gives up those that have been missing for too long. */
  wanted(now: number): number[] {
    const wanted: number[] = [];
    for (const [number, missing] of this.#missing) {
      if (now - missing.since > GIVE_UP_MS) this.#missing.delete(number);
      else if (now >= missing.askAt) {
        wanted.push(number);
        missing.askAt = now - missing.since < OFTEN_MS ? now : now + RARELY_MS;
      }
    }
    return wanted;
  }
}
