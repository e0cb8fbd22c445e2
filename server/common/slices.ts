import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps of a slice, at most. */
export const SLICE_STEPS = 500;
/** When a slice ends even with fewer steps, milliseconds. */
const SLICE_MS = 5;

/**
 * Divides long work on the event loop into slices: between them, requests have their turn. Every slice makes at least one
 * step. Several loops that follow each other share one of these.
 */
export class Slices {
  #steps = 0;
  #endsAt = performance.now() + SLICE_MS;

  /** Does something with each item; by default, it only takes them. What is done with one item is never divided. */
  async each<Item>(
    items: Iterable<Item>,
    step: (item: Item) => void = () => undefined,
  ): Promise<void> {
    for (const item of items) {
      step(item);
      if (++this.#steps < SLICE_STEPS && performance.now() < this.#endsAt) continue;
      await nextTurn();
      this.#steps = 0;
      this.#endsAt = performance.now() + SLICE_MS;
    }
  }
}

/** Turns of the event loop, one for each who asks: between two of them, requests have theirs. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of one's own, after those of all who asked before. */
  next(): Promise<void> {
    return (this.#last = this.#last.then(() => nextTurn()));
  }
}
