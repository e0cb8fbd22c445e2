import type { TurnQueue } from './turn-queue.ts';

/** Work for the queue, and everybody who waits for its result. */
export class SharedWork<Result> {
  readonly #nobodyWaits = new AbortController();
  /** How many wait, by line. */
  readonly #waiting = new Map<string | null, number>();
  /** One in each line, however many wait there; each with how to leave it. */
  readonly #places = new Map<string | null, () => void>();
  readonly #result: Promise<Result>;
  #begin!: () => Promise<void>;
  #refuse!: () => void;
  #begun = false;

  /**
   * @param work its signal ends it once nobody waits for the result any more
   * @param onOver called when nobody waits any more: all have the result, were refused, or have gone
   */
  constructor(
    private readonly queue: TurnQueue,
    work: (signal: AbortSignal) => Promise<Result>,
    private readonly onOver: () => void = () => undefined,
  ) {
    this.#result = new Promise((resolve, reject) => {
      this.#refuse = () => reject(queue.refusal());
      this.#begin = async () => {
        this.#begun = true;
        for (const leave of this.#places.values()) leave();
        this.#places.clear();
        await work(this.#nobodyWaits.signal).then(resolve, reject);
      };
    });
    // It may fail when nobody waits for it.
    this.#result.catch(() => undefined);
  }

  /**
   * Waits for the result. The work is done as soon as anybody who waits for it has a turn.
   * @param line where to wait, as for {@link TurnQueue.enter}
   * @param signal ends the wait, with its reason
   * @throws the queue's refusal if nobody had a turn in time, and what the work throws
   */
  async wait(line: string | null, signal: AbortSignal): Promise<Result> {
    this.#waiting.set(line, (this.#waiting.get(line) ?? 0) + 1);
    try {
      signal.throwIfAborted();
      this.#enter(line);
      return await this.#resultInTime(signal);
    } finally {
      this.#leave(line);
    }
  }

  async #resultInTime(signal: AbortSignal): Promise<Result> {
    let giveUp!: (reason: unknown) => void;
    const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
    const onAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', onAbort);
    const timer = setTimeout(() => {
      if (!this.#begun) giveUp(this.queue.refusal());
    }, this.queue.limits.waitMs);
    try {
      return await Promise.race([this.#result, givenUp]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Takes a place, unless somebody has one there. Where there is none, those of others have to do. */
  #enter(line: string | null): void {
    if (this.#begun || this.#places.has(line)) return;
    const refuse = () => this.#lose(line);
    const leave = this.queue.enter(line, { begin: this.#begin, refuse });
    if (leave) this.#places.set(line, leave);
    else if (this.#places.size === 0) throw this.queue.refusal();
  }

  #leave(line: string | null): void {
    const others = (this.#waiting.get(line) ?? 1) - 1;
    if (others > 0) {
      this.#waiting.set(line, others);
      return;
    }
    this.#waiting.delete(line);
    this.#places.get(line)?.();
    this.#lose(line);
    if (this.#waiting.size > 0) return;
    this.#nobodyWaits.abort();
    this.onOver();
  }

  /** Without a place anywhere, nobody will have a turn. */
  #lose(line: string | null): void {
    this.#places.delete(line);
    if (this.#places.size === 0 && !this.#begun) this.#refuse();
  }
}
