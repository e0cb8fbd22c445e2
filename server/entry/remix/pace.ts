import { LRUCache } from 'lru-cache';

/** Clients that are remembered. A forgotten one begins anew. */
const CLIENTS = 10_000;

/** So many at once for each client, and then one each millisecond. */
export class Pace {
  /** When each client's last one is due, ms. */
  readonly #due = new LRUCache<string, number>({ max: CLIENTS });

  constructor(private readonly atOnce: number) {}

  /** @param now ms @returns how long the client has to wait for the next one, ms */
  wait(client: string, now: number): number {
    const due = Math.max(now, (this.#due.get(client) ?? 0) + 1);
    this.#due.set(client, due);
    return Math.max(0, due - now - this.atOnce + 1);
  }
}
