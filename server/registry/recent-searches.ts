import { LRUCache } from 'lru-cache';
import type { RegistryPage } from './search.ts';

/** How old a page of a large registry may be, milliseconds. */
const MAX_AGE_MS = 1000;
/** Different searches that are remembered. */
const REMEMBERED = 50;

/**
 * The newest answers to searches, for a registry so large that finding them takes milliseconds: however many look at a
 * page, it is made once a second.
 */
export class RecentSearches {
  readonly #made = new LRUCache<string, { at: number; page: RegistryPage }>({ max: REMEMBERED });

  /** @param key identifies the search @param now ms */
  get(key: string, now: number, make: () => RegistryPage): RegistryPage {
    const known = this.#made.get(key);
    if (known && now >= known.at && now - known.at < MAX_AGE_MS) return known.page;
    const page = make();
    this.#made.set(key, { at: now, page });
    return page;
  }
}
