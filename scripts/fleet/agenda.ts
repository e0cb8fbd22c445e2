/**
 * What is due when: a binary heap, so that a fleet of any size needs one timer instead of one per
 * node. Adding and taking cost O(log n).
 */
export class Agenda<T> {
  #heap: { due: number; item: T }[] = [];

  /** When the first item is due (the unit is the caller's); undefined where there is none. */
  get nextDue(): number | undefined {
    return this.#heap[0]?.due;
  }

  add(due: number, item: T): void {
    const heap = this.#heap;
    let i = heap.push({ due, item }) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#before(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  /** Removes and returns the item that is due first. */
  take(): { due: number; item: T } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    let i = 0;
    for (;;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && this.#before(child, least)) least = child;
      }
      if (least === i) return first;
      this.#swap(i, least);
      i = least;
    }
  }

  #before(a: number, b: number): boolean {
    return (this.#heap[a]?.due ?? Infinity) < (this.#heap[b]?.due ?? Infinity);
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as { due: number; item: T }, heap[a] as { due: number; item: T }];
  }
}
