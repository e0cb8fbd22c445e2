/** How often it checks for due messages, milliseconds. */
const POLL_MS = 5000;

/**
 * Works off an outbox in the background, so that no request waits for a receiver: every few seconds, and at once when
 * asked to. One round runs at a time.
 */
export class OutboxLoop {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Another round was requested while one was running. */
  #again = false;
  readonly #end = new AbortController();

  /**
   * @param round tries due messages until `end` aborts; true if there may be more
   * @param onError called with what a round throws; the next one tries again
   */
  constructor(
    private readonly round: (end: AbortSignal) => Promise<boolean>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.send(), POLL_MS).unref();
    void this.send();
  }

  /** Aborts the attempts under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#end.abort();
    await this.#running;
  }

  /** Tries all due messages. Resolves once each was tried, even if none was delivered. */
  send(): Promise<void> {
    if (this.#end.signal.aborted) return Promise.resolve();
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    return (this.#running = this.#rounds().finally(() => (this.#running = undefined)));
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        if (await this.round(this.#end.signal)) this.#again = true;
      } catch (error) {
        this.onError(error);
      }
    } while (this.#again && !this.#end.signal.aborted);
  }
}
