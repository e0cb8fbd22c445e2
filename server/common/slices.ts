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

/** Sorts as `sort` does, but in slices: short runs, each in a turn, which are then merged. */
export async function sortInSlices<Item extends object>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += SLICE_STEPS) {
    runs.push(items.slice(at, at + SLICE_STEPS).sort(compare));
    await nextTurn();
  }
  const slices = new Slices();
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let n = 0; n < runs.length; n += 2) {
      const run: Item[] = [];
      await slices.each(merge(runs[n] ?? [], runs[n + 1] ?? [], compare), (item) => run.push(item));
      merged.push(run);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The items of two sorted lists in their order; equal ones of the first come first. */
function* merge<Item extends object>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<Item> {
  let at = 0;
  for (const item of first) {
    for (let next; (next = second[at]) !== undefined && compare(next, item) < 0; at++) yield next;
    yield item;
  }
  yield* second.slice(at);
}

/** Turns of the event loop, one for each who asks: between two of them, requests have theirs. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of one's own, after those of all who asked before. */
  next(): Promise<void> {
    return (this.#last = this.#last.then(() => nextTurn()));
  }
}
