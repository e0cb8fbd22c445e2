import type { Outcome } from './client.ts';

/** Rates and latencies are over this window. */
const WINDOW_SECONDS = 10;

interface Second {
  second: number;
  pings: number;
  announces: number;
  latencies: number[];
}

export interface TrafficSummary {
  /** Accepted by the service since the start. */
  pings: number;
  announces: number;
  /** Accepted per second, over the last 10 s. */
  pingsPerSecond: number;
  announcesPerSecond: number;
  /** Of every answer in the last 10 s, a timeout counted as its 5 s; null where there was none. */
  latencyMs: { p50: number; p95: number; p99: number } | null;
  /** Failed requests since the start by kind, such as `ECONNREFUSED` or `429 rate_limited`. */
  errors: Record<string, number>;
  /** What the service said with the last answer that was not a success. */
  lastError: string | null;
}

/** Counts what came of the requests. Moments are milliseconds of performance.now(). */
export class Traffic {
  readonly #startedAt: number;
  #window: Second[] = [];
  #pings = 0;
  #announces = 0;
  #errors = new Map<string, number>();
  #lastError: string | null = null;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  count(what: 'pings' | 'announces', outcome: Outcome, now: number): void {
    const second = this.#second(now);
    if (outcome.kind !== 'failed' || outcome.code === 'timeout') {
      second.latencies.push(outcome.latencyMs);
    }
    if (outcome.kind === 'accepted') {
      second[what]++;
      if (what === 'pings') this.#pings++;
      else this.#announces++;
      return;
    }
    const name = outcome.kind === 'failed' ? outcome.code : `${outcome.status} ${outcome.code}`;
    this.#errors.set(name, (this.#errors.get(name) ?? 0) + 1);
    if (outcome.kind === 'rejected') {
      this.#lastError = outcome.message ? `${name}: ${outcome.message}` : name;
    }
  }

  summary(now: number): TrafficSummary {
    this.#forget(now);
    const seconds = Math.min(WINDOW_SECONDS, Math.max(1, (now - this.#startedAt) / 1000));
    const sum = (of: 'pings' | 'announces') =>
      this.#window.reduce((total, second) => total + second[of], 0) / seconds;
    return {
      pings: this.#pings,
      announces: this.#announces,
      pingsPerSecond: sum('pings'),
      announcesPerSecond: sum('announces'),
      latencyMs: percentiles(this.#window.flatMap(({ latencies }) => latencies)),
      errors: Object.fromEntries(this.#errors),
      lastError: this.#lastError,
    };
  }

  #second(now: number): Second {
    const second = Math.floor((now - this.#startedAt) / 1000);
    const last = this.#window.at(-1);
    if (last?.second === second) return last;
    this.#forget(now);
    const fresh = { second, pings: 0, announces: 0, latencies: [] };
    this.#window.push(fresh);
    return fresh;
  }

  #forget(now: number): void {
    const oldest = Math.floor((now - this.#startedAt) / 1000) - WINDOW_SECONDS;
    this.#window = this.#window.filter(({ second }) => second >= oldest);
  }
}

/** Nearest rank. */
function percentiles(values: number[]): TrafficSummary['latencyMs'] {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
