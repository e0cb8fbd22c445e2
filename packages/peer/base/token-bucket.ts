import { setTimeout as sleep } from 'node:timers/promises';

/** How much a peer may do: some a second on average, and more at once if it was quiet before. */
export class TokenBucket {
  #tokens: number;
  #at: number;

  /**
   * @param perSecond tokens that come back each second
   * @param burst tokens there can be: as many as this at once
   * @param now milliseconds of a clock that never goes back
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#tokens = burst;
    this.#at = now();
  }

  /** @returns false if there are fewer tokens than that; then none is taken */
  take(count = 1): boolean {
    const now = this.now();
    const back = ((now - this.#at) / 1000) * this.perSecond;
    this.#tokens = Math.min(this.burst, this.#tokens + back);
    this.#at = now;
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }
}

/** How long to wait before looking again whether there are tokens, milliseconds. */
const WAIT_MS = 50;

/** Takes tokens as soon as there are enough. @param signal ends the waiting; then none may have been taken */
export async function untilTaken(
  bucket: TokenBucket,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !bucket.take(count)) await sleep(WAIT_MS);
}

/** A bucket of several peers. Who has to wait gets its tokens in turn: many small messages don't hold up a large one. */
export class SharedBucket {
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly bucket: TokenBucket) {}

  /** See {@link TokenBucket.take}. */
  take(count: number): boolean {
    return this.bucket.take(count);
  }

  /** See {@link untilTaken}. */
  untilTaken(count: number, signal: AbortSignal): Promise<void> {
    return (this.#last = this.#last.then(() => untilTaken(this.bucket, count, signal)));
  }
}
