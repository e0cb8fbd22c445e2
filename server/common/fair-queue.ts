interface Waiting {
  start: () => void;
  refuse: () => void;
}

/**
 * Work that is done one piece at a time, for clients that take turns: who asks for much waits for it alone. When all
 * places are taken, the client with the most gives up its last one to a client with fewer.
 */
export class FairQueue {
  /** What waits, by client. The first client is the next one. */
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;
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
  ) {}

  /** How many pieces of work wait. */
  get size(): number {
    return this.#size;
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
      this.#running = false;
      this.#next();
    }
  }

  /** Refuses everything that waits. What is being done goes on. */
  refuseAll(): void {
    for (const own of this.#waiting.values()) for (const { refuse } of own) refuse();
    this.#waiting.clear();
    this.#size = 0;
  }

  async #wait(client: string): Promise<void> {
    const { places, placesOfClient, refusal } = this.options;
    const own = this.#waiting.get(client)?.length ?? 0;
    if (own >= placesOfClient || (this.#size >= places && !this.#makeRoom(own))) throw refusal();
    await new Promise<void>((resolve, reject) => {
      const waiting = { start: resolve, refuse: () => reject(refusal()) };
      const others = this.#waiting.get(client);
      if (others) others.push(waiting);
      else this.#waiting.set(client, [waiting]);
      this.#size++;
    });
  }

  /** Takes the last place of the client that has the most, if that leaves it with as many as `own` or more. */
  #makeRoom(own: number): boolean {
    let most: Waiting[] = [];
    for (const of of this.#waiting.values()) if (of.length > most.length) most = of;
    if (most.length < own + 2) return false;
    most.pop()?.refuse();
    this.#size--;
    return true;
  }

  /** Starts the first piece of the client whose turn it is, which then comes last. */
  #next(): void {
    const [turn] = this.#waiting;
    if (!turn) return;
    const [client, [first, ...others]] = turn;
    this.#waiting.delete(client);
    if (others.length > 0) this.#waiting.set(client, others);
    this.#size--;
    // Nobody gets in between.
    this.#running = true;
    first?.start();
  }
}
