import { FairLines } from './fair-lines.ts';

/** Work that is done one piece at a time, for clients that take turns: who asks for much waits for it alone. */
export class FairQueue {
  readonly #lines: FairLines<{ start: () => void; refuse: () => void }>;
  #running = false;

  /**
   * @param options.places how many pieces may wait
   * @param options.placesOfClient how many of one client
   * @param options.tooMany makes the error of a client that has as many as it may
   * @param options.refusal makes the error of one that loses its place
   */
  constructor(
    private readonly options: {
      places: number;
      placesOfClient: number;
      tooMany: () => Error;
      refusal: () => Error;
    },
  ) {
    this.#lines = new FairLines({ places: options.places, line: options.placesOfClient });
  }

  /** How many pieces of work wait. */
  get size(): number {
    return this.#lines.size;
  }

  /**
   * @param client whose turn it takes
   * @param signal gives up its place
   * @throws what `work` throws, or a refusal: at once, or later if another client gets its place
   */
  async run<T>(client: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw this.options.refusal();
    if (this.#running) await this.#wait(client, signal);
    this.#running = true;
    try {
      return await work();
    } finally {
      // Nobody gets in between.
      const next = this.#lines.next();
      this.#running = next !== undefined;
      next?.start();
    }
  }

  /** Refuses everything that waits. What is being done goes on. */
  refuseAll(): void {
    for (let one = this.#lines.next(); one; one = this.#lines.next()) one.refuse();
  }

  async #wait(client: string, signal?: AbortSignal): Promise<void> {
    const { tooMany, refusal } = this.options;
    let leave!: () => void;
    const turn = new Promise<void>((start, reject) => {
      const waiting = { start, refuse: () => reject(refusal()) };
      leave = () => {
        this.#lines.leave(client, waiting);
        waiting.refuse();
      };
      if (!this.#lines.enter(client, waiting)) reject(tooMany());
    });
    signal?.addEventListener('abort', leave);
    await turn.finally(() => signal?.removeEventListener('abort', leave));
  }
}
