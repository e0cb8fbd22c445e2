/**
 * Writes in groups: what arrives while a group is being committed goes together in the next one, and
 * each caller is answered only after its own group has committed. One group is under way at a time,
 * so two groups can never lock the same rows in different order.
 */
export interface GroupWriterOptions<Item, Result> {
  /** Commits the items in one statement or transaction, and answers one result per item, in order. */
  commit(items: Item[]): Promise<Result[]>;
  /** Most items in one group. */
  maxGroup: number;
  /** Most items waiting; beyond that `overflow()` is thrown at the caller. */
  maxWaiting: number;
  overflow(): Error;
  /** Told the size of each group that is about to be committed. */
  onGroup?: ((size: number) => void) | undefined;
}

/** Counts groups of writes: their size before and after each commit. */
export interface GroupObserver {
  onGroup?: ((size: number) => void) | undefined;
  onCommit: (size: number) => void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export class GroupWriter<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly options: GroupWriterOptions<Item, Result>) {}

  /** Resolves with the item's result once it is committed; rejects if its group could not be. */
  write(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.options.maxWaiting)
      return Promise.reject(this.options.overflow());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Requests that came in the same turn of the event loop share the first group.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.options.maxGroup);
      this.options.onGroup?.(group.length);
      try {
        const results = await this.options.commit(group.map(({ item }) => item));
        group.forEach(({ resolve }, at) => resolve(results[at] as Result));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }
}
