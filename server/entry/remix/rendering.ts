import { tooBusy, type RenderQueue } from './render-queue.ts';

/** Work for the queue, and everybody who waits for its result. */
export class Rendering<Result> {
  readonly #nobodyWaits = new AbortController();
  readonly #places = new Set<() => void>();
  readonly #result: Promise<Result>;
  #begin!: () => Promise<void>;
  #waiting = 0;
  #begun = false;

  /**
   * @param render its signal ends it once nobody waits for the result any more
   * @param onOver called when nobody waits any more: all have the result, or have gone
   */
  constructor(
    private readonly queue: RenderQueue,
    render: (signal: AbortSignal) => Promise<Result>,
    private readonly onOver: () => void = () => undefined,
  ) {
    this.#result = new Promise((resolve, reject) => {
      this.#begin = async () => {
        this.#begun = true;
        for (const leave of this.#places) leave();
        await render(this.#nobodyWaits.signal).then(resolve, reject);
      };
    });
    // It may fail when nobody waits for it.
    this.#result.catch(() => undefined);
  }

  /**
   * Waits for the result. It is rendered as soon as anybody who waits for it has a turn.
   * @param line where to wait, as for {@link RenderQueue.enter}
   * @param signal ends the wait, with its reason
   * @throws AppError `unavailable` if nobody had a turn in time, and what rendering throws
   */
  async wait(line: string | null, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    const leave = this.#begun ? () => undefined : this.queue.enter(line, this.#begin);
    this.#places.add(leave);
    this.#waiting++;
    let giveUp!: (reason: unknown) => void;
    const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
    const onAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', onAbort);
    const timer = setTimeout(() => {
      if (!this.#begun) giveUp(tooBusy());
    }, this.queue.limits.waitMs);
    try {
      return await Promise.race([this.#result, givenUp]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      leave();
      if (--this.#waiting === 0) {
        this.#nobodyWaits.abort();
        this.onOver();
      }
    }
  }
}
