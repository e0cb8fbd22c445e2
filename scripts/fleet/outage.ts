import { REQUEST_TIMEOUT_MS } from './connections.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * A circuit breaker for the whole fleet. While the service is unreachable, one node at a time tries,
 * with growing pauses; the others skip their heartbeats, so that they neither flood the address nor all
 * return at once. Times are milliseconds of performance.now().
 */
export class Outage {
  #current: {
    code: string;
    since: number;
    tries: number;
    triedAt: number;
    retryAt: number;
  } | null = null;

  get active(): boolean {
    return this.#current !== null;
  }

  /** Whether a request may be sent now. During an outage, true makes the caller the one that tries. */
  mayTry(now: number): boolean {
    if (!this.#current) return true;
    if (now < this.#current.retryAt) return false;
    this.#current.triedAt = now;
    this.#current.retryAt = now + REQUEST_TIMEOUT_MS;
    return true;
  }

  /**
   * Records that a request did not reach the service.
   *
   * @returns when its node shall try again; null if the request was sent before the latest try, so that
   *   another node tries for all
   */
  record(code: string, sentAt: number, now: number): number | null {
    if (this.#current && sentAt < this.#current.triedAt) return null;
    const tries = (this.#current?.tries ?? 0) + 1;
    const retryAt = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
    this.#current = { code, since: this.#current?.since ?? now, tries, triedAt: now, retryAt };
    return retryAt;
  }

  /** Records that the service answered. */
  end(): void {
    this.#current = null;
  }

  summary(now: number): { code: string; forMs: number } | null {
    return this.#current && { code: this.#current.code, forMs: now - this.#current.since };
  }
}
