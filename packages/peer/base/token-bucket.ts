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

/** Tries again and again, until something could be taken. @throws if the signal ends the waiting; nothing is taken then */
export async function untilTaken(take: () => boolean, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (take()) return;
    await sleep(WAIT_MS);
  }
}

/** Those who wait for the same: each has its turn after those who came before, so many small ones hold up no large one. */
export class Line {
  #isBusy = false;
  readonly #waiting = new Set<() => void>();

  /**
   * @param turn must end for the next one to begin
   * @param signal whoever it ends leaves the line at once
   * @returns what the turn returns
   * @throws what the turn throws, or if the signal ends the waiting
   */
  async join<T>(turn: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isBusy) await this.#wait(signal);
    this.#isBusy = true;
    try {
      return await turn();
    } finally {
      const [next] = this.#waiting;
      this.#isBusy = next !== undefined;
      next?.();
    }
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaving = (settle: () => void) => () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', abandon);
        settle();
      };
      const begin = leaving(resolve);
      const abandon = leaving(() => reject(signal?.reason as Error));
      this.#waiting.add(begin);
      signal?.addEventListener('abort', abandon);
    });
  }
}
