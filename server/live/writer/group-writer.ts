export interface GroupWriterOptions<Item, Result> {
  /** Commits the items in one statement or transaction, and resolves with one result per item, in order. */
  commit(items: Item[]): Promise<Result[]>;
  /** Most items in one group. */
  maxGroup: number;
  /** Most items waiting; beyond that, writes reject with `overflow()`. */
  maxWaiting: number;
  overflow(): Error;
}

/** A group of writes that has been committed. */
export interface Committed {
  kind: 'pings' | 'announces';
  /** How many heartbeats or announcements. */
  size: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Commits writes in groups: everything that arrives during one commit goes into the next. Each caller is
 * answered only after its own group has committed. Groups are committed one at a time, so two groups can
 * never lock the same rows in different order.
 */
export class GroupWriter<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly options: GroupWriterOptions<Item, Result>) {}

  /** Resolves with the item's result after its commit; rejects if its group could not be committed. */
  write(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.options.maxWaiting)
      return Promise.reject(this.options.overflow());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting or being committed. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Requests from the same turn of the event loop share the first group.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.options.maxGroup);
      try {
        const results = await this.options.commit(group.map(({ item }) => item));
        group.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }
}
