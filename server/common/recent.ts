import { LRUCache } from 'lru-cache';

/** How old what is made for many may be, milliseconds. */
const MAX_AGE_MS = 1000;

/** What takes milliseconds to make, at most once a second for each key, however many ask for it. */
export class Recent<Made extends object> {
  readonly #made: LRUCache<string, { at: number; made: Made }>;

  /** @param max different ones that are kept */
  constructor(max: number) {
    // What nobody asks for any more takes no memory.
    this.#made = new LRUCache({ max, ttl: MAX_AGE_MS, ttlAutopurge: true });
  }

  /** @param now ms; the same for what `make` makes */
  get(key: string, now: number, make: () => Made): Made {
    const known = this.#made.get(key);
    if (known && now >= known.at && now - known.at < MAX_AGE_MS) return known.made;
    const made = make();
    this.#made.set(key, { at: now, made });
    return made;
  }
}
