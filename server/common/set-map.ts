/** Sets of values by a key, in the order in which they were added. A key without values takes no memory. */
export class SetMap<Value> {
  readonly #sets = new Map<string, Set<Value>>();

  add(key: string, value: Value): void {
    const set = this.#sets.get(key);
    if (set) set.add(value);
    else this.#sets.set(key, new Set([value]));
  }

  delete(key: string, value: Value): void {
    const set = this.#sets.get(key);
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key);
  }

  get(key: string): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NONE;
  }
}

const NONE: ReadonlySet<never> = new Set();
