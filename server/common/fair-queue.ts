import { FairLines } from './fair-lines.ts';

/** Work that is done one piece at a time, for clients that take turns: who asks for much waits for it alone. */
export class FairQueue {
  readonly #lines: FairLines<{ start: () => void; refuse: () => void }>;
  #running = false;

  /**
   * @param options.places how many pieces may wait
   * @param options.placesOfClient how many of one client
   * @param options.refusal makes the error of one that may not
   */
  constructor(
    private readonly options: {
      places: number;
      placesOfClient: number;
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
   * @throws what `work` throws, or the refusal: at once, or later if another client gets its place
   */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.#running) await this.#wait(client);
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

  async #wait(client: string): Promise<void> {
    const { refusal } = this.options;
    await new Promise<void>((start, reject) => {
      const refuse = () => reject(refusal());
      if (!this.#lines.enter(client, { start, refuse })) refuse();
    });
  }
}
