/**
 * One tick for all event streams, at most once a second: streams that wake together share the work of
 * finding what changed. Runs only while a stream waits.
 */
export class Ticker {
  readonly #waiting = new Set<(now: number | null) => void>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly clock: () => number,
    private readonly periodMs = 1000,
  ) {}

  /**
   * Resolves with the moment (ms) of the next tick; with null once `signal` aborts or the ticker stops.
   * Not by AbortSignal.any() with a signal of our own: what that leaves behind at the longer-lived signal,
   * some 75 bytes per stream and tick, is never collected.
   */
  next(signal: AbortSignal): Promise<number | null> {
    if (this.#stopped || signal.aborted) return Promise.resolve(null);
    this.#timer ??= setTimeout(() => this.#tick(), this.periodMs);
    return new Promise((resolve) => {
      const wake = (now: number | null) => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', end);
        resolve(now);
      };
      const end = () => wake(null);
      signal.addEventListener('abort', end);
      this.#waiting.add(wake);
    });
  }

  /** Ends all waiting streams. */
  stop(): void {
    this.#stopped = true;
    this.#wakeAll(null);
  }

  #tick(): void {
    this.#timer = undefined;
    this.#wakeAll(this.clock());
  }

  #wakeAll(now: number | null): void {
    for (const wake of [...this.#waiting]) wake(now);
  }
}
