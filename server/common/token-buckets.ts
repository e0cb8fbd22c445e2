import { LRUCache } from 'lru-cache';

/** How many keys have a bucket at most. The one that was used longest ago is forgotten first, as if it were full. */
export const BUCKETS_MAX = 10_000;

/**
 * Token buckets, one for each key: as many as `capacity` at once, then an even rate. Nothing is stored for a key
 * whose bucket is full.
 */
export class TokenBuckets {
  /** When each bucket will be full, milliseconds of `clock`. */
  readonly #fullAt = new LRUCache<string, number>({ max: BUCKETS_MAX });
  readonly #tokenMs: number;

  /** @param fillMs how long an empty bucket takes to fill, milliseconds */
  constructor(
    private readonly capacity: number,
    private readonly fillMs: number,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.#tokenMs = fillMs / capacity;
  }

  /** How many keys have a bucket that is not known to be full. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Takes all of `count` tokens, or none.
   * @param needed so many there must be, at most the capacity; what is missing of `count` fills up later
   * @returns 0, or the milliseconds until there are enough
   */
  take(key: string, count: number, needed = count): number {
    const now = this.clock();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? 0);
    // Sums of fractions are not exact.
    const waitMs = Math.floor(fullAt + needed * this.#tokenMs - now - this.fillMs);
    if (waitMs > 0) return waitMs;
    this.#fullAt.set(key, fullAt + count * this.#tokenMs);
    return 0;
  }

  /** Puts back tokens that were taken and not used. */
  putBack(key: string, count: number): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt === undefined) return;
    const earlier = fullAt - count * this.#tokenMs;
    if (earlier > this.clock()) this.#fullAt.set(key, earlier);
    else this.#fullAt.delete(key);
  }
}
