import type { Clock } from './clock.ts';
import type { Fault } from './fault.ts';

/** What an attempt led to. */
export type Outcome =
  | { ok: true; /** When the service wants the next one, milliseconds. */ nextMs: number }
  | { ok: false; fault: Fault };

interface ScheduleOptions {
  /** One attempt. Never rejects. */
  send: (signal: AbortSignal) => Promise<Outcome>;
  clock: Clock;
  /** From 0 to 1. */
  random?: () => number;
}

/** Nodes that started together should not stay together. */
const JITTER = 0.1;
/** Bounds of what a service may ask for, milliseconds: a wrong answer must neither flood nor silence a node. */
const NEXT_MIN_MS = 1000;
const NEXT_MAX_MS = 3_600_000;

/**
 * Sends again and again, when the service wants it, and less often while it fails. Only its signal ends it.
 */
export class Schedule {
  #failures = 0;
  #nextAt: number | null = null;
  #wake = new AbortController();

  constructor(private readonly options: ScheduleOptions) {}

  /** When the next attempt begins, ms since 1970; null while one is under way, and before the first. */
  get nextAt(): number | null {
    return this.#nextAt;
  }

  /** Sends now, and forgets that attempts have failed: something has changed. */
  wake(): void {
    this.#failures = 0;
    this.#wake.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, send } = this.options;
    const end = () => this.#wake.abort();
    signal.addEventListener('abort', end);
    while (!signal.aborted) {
      // Made before the attempt: what changes during it asks for another one.
      this.#wake = new AbortController();
      const outcome = await send(signal);
      if (signal.aborted) break;
      const waitMs = this.#pauseAfter(outcome);
      this.#nextAt = clock.now() + waitMs;
      await clock.sleep(waitMs, this.#wake.signal);
      this.#nextAt = null;
    }
    signal.removeEventListener('abort', end);
  }

  #pauseAfter(outcome: Outcome): number {
    const random = this.options.random ?? Math.random;
    if (outcome.ok) {
      this.#failures = 0;
      const spread = 1 - JITTER + 2 * JITTER * random();
      return bounded(outcome.nextMs) * spread;
    }
    const { retry, retryAfterMs } = outcome.fault;
    const backOff = Math.min(retry.longestMs, retry.firstMs * 2 ** Math.min(this.#failures++, 20));
    // Half of the wait is random: nodes that were cut off at the same moment do not come back at the same moment.
    const spread = backOff * (0.5 + random() / 2);
    return retryAfterMs === null
      ? spread
      : Math.max(bounded(retryAfterMs) + JITTER * random() * bounded(retryAfterMs), spread);
  }
}

const bounded = (ms: number) => Math.min(NEXT_MAX_MS, Math.max(NEXT_MIN_MS, ms));
