import { REQUEST_TIMEOUT_MS } from './client.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Whether there is a service to connect to. While there is none, one node at a time tries, with
 * growing pauses; the others skip their heartbeats instead of knocking 500 times a second, and
 * instead of all coming at once when the service is back. Moments are performance.now().
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

  /** Whether a request may be sent now. During an outage, true makes the caller the one who tries. */
  mayTry(now: number): boolean {
    if (!this.#current) return true;
    if (now < this.#current.retryAt) return false;
    this.#current.triedAt = now;
    this.#current.retryAt = now + REQUEST_TIMEOUT_MS;
    return true;
  }

  /**
   * A request found no service. Returns when its node shall try again, or null where another node
   * tries for all: this request was on its way before the outage began.
   */
  failed(code: string, sentAt: number, now: number): number | null {
    if (this.#current && sentAt < this.#current.triedAt) return null;
    const tries = (this.#current?.tries ?? 0) + 1;
    const retryAt = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
    this.#current = { code, since: this.#current?.since ?? now, tries, triedAt: now, retryAt };
    return retryAt;
  }

  /** There was an answer. */
  over(): void {
    this.#current = null;
  }

  summary(now: number): { code: string; forMs: number } | null {
    return this.#current && { code: this.#current.code, forMs: now - this.#current.since };
  }
}
