/**
 * One tick for all event streams, at most once a second: streams that wake together share the work of
 * finding what changed. Runs only while a stream waits.
 */
export class Ticker {
  #next: Promise<number> | undefined;
  #stop = new AbortController();

  constructor(
    private readonly clock: () => number,
    private readonly periodMs = 1000,
  ) {}

  /** Resolves with the moment (ms) of the next tick; with null once `signal` aborts or the ticker stops. */
  async next(signal: AbortSignal): Promise<number | null> {
    const ended = AbortSignal.any([signal, this.#stop.signal]);
    if (ended.aborted) return null;
    this.#next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#next = undefined;
        resolve(this.clock());
      }, this.periodMs);
    });
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<null>((resolve) => {
      onAbort = () => resolve(null);
      ended.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([this.#next, aborted]);
    } finally {
      if (onAbort) ended.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all waiting streams. */
  stop(): void {
    this.#stop.abort();
  }
}
