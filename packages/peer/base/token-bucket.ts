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
    if (!this.has(count)) return false;
    this.#tokens -= count;
    return true;
  }

  has(count: number): boolean {
    return this.#refilled() >= count;
  }

  /** Nothing that was taken is missing any more: the bucket is like a new one. */
  get isFull(): boolean {
    return this.has(this.burst);
  }

  /** Takes what there may not be: the bucket has none until that has come back. */
  spend(count: number): void {
    this.#tokens = this.#refilled() - count;
  }

  /** Gives some back before their time. */
  give(count: number): void {
    this.#tokens = Math.min(this.burst, this.#refilled() + count);
  }

  #refilled(): number {
    const now = this.now();
    const back = ((now - this.#at) / 1000) * this.perSecond;
    this.#at = now;
    return (this.#tokens = Math.min(this.burst, this.#tokens + back));
  }
}

/** How long to wait before looking again whether there are tokens, milliseconds. */
const WAIT_MS = 50;

/** Tries again and again, until something could be taken. @param signal ends the waiting; then nothing may have been */
export async function untilTaken(take: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !take()) await sleep(WAIT_MS);
}

/** Those who wait for the same: each has its turn after those who came before, so many small ones hold up no large one. */
export class Line {
  #last: Promise<unknown> = Promise.resolve();

  /** @param turn must end for the next one to begin @returns what it returns @throws what it throws */
  join<T>(turn: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(turn);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
