import { build as buildHistogram, type Histogram } from 'hdr-histogram-js';
import type { Result } from '@mesh-registry/client/index.ts';
import { codeOf, isUnanswered, TIMEOUT } from './connections.ts';

/** Rates and latencies cover this window. */
const WINDOW_SECONDS = 10;
/** Latencies are exact to 1 %. */
const DIGITS = 2;

export type Message = 'ping' | 'announce';

export interface TrafficSummary {
  /** Accepted by the service since the start. */
  pings: number;
  announces: number;
  /** Accepted per second, over the last 10 s. */
  pingsPerSecond: number;
  announcesPerSecond: number;
  /** Of every answer and timeout in the last 10 s; null if there was none. */
  latencyMs: { p50: number; p95: number; p99: number } | null;
  /** Failed requests since the start by kind, such as `ECONNREFUSED` or `429 rate_limited`. */
  errors: Record<string, number>;
  /** The service's most recent answer that was not a success. */
  lastError: string | null;
}

interface Second {
  /** Since the start. */
  second: number;
  accepted: Record<Message, number>;
  latencyUs: Histogram;
}

const histogram = () => buildHistogram({ numberOfSignificantValueDigits: DIGITS });

/** Counts the results of requests. Times are milliseconds of performance.now(). */
export class Traffic {
  readonly #startedAt: number;
  readonly #accepted = { ping: 0, announce: 0 };
  readonly #errors = new Map<string, number>();
  #lastError: string | null = null;
  #window: Second[] = [];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  count(message: Message, result: Result<unknown>, latencyMs: number, now: number): void {
    const current = this.#currentSecond(now);
    const code = result.ok ? null : codeOf(result.problem);
    if (result.ok || !isUnanswered(result.problem) || code === TIMEOUT)
      current.latencyUs.recordValue(Math.round(latencyMs * 1000));
    if (result.ok) {
      current.accepted[message]++;
      this.#accepted[message]++;
      return;
    }
    const { problem } = result;
    const error = 'status' in problem ? `${problem.status} ${code}` : String(code);
    this.#errors.set(error, (this.#errors.get(error) ?? 0) + 1);
    if ('status' in problem) this.#lastError = `${error}: ${problem.message}`;
  }

  summary(now: number): TrafficSummary {
    this.#dropOldSeconds(now);
    const seconds = Math.min(WINDOW_SECONDS, Math.max(1, (now - this.#startedAt) / 1000));
    const perSecond = (message: Message) =>
      this.#window.reduce((sum, { accepted }) => sum + accepted[message], 0) / seconds;
    const latencyUs = histogram();
    for (const second of this.#window) latencyUs.add(second.latencyUs);
    const percentile = (share: number) => latencyUs.getValueAtPercentile(share) / 1000;
    return {
      pings: this.#accepted.ping,
      announces: this.#accepted.announce,
      pingsPerSecond: perSecond('ping'),
      announcesPerSecond: perSecond('announce'),
      latencyMs:
        latencyUs.totalCount === 0
          ? null
          : { p50: percentile(50), p95: percentile(95), p99: percentile(99) },
      errors: Object.fromEntries(this.#errors),
      lastError: this.#lastError,
    };
  }

  #currentSecond(now: number): Second {
    const second = Math.floor((now - this.#startedAt) / 1000);
    const last = this.#window.at(-1);
    if (last?.second === second) return last;
    const current = { second, accepted: { ping: 0, announce: 0 }, latencyUs: histogram() };
    this.#dropOldSeconds(now);
    this.#window.push(current);
    return current;
  }

  #dropOldSeconds(now: number): void {
    const oldest = Math.floor((now - this.#startedAt) / 1000) - WINDOW_SECONDS;
    this.#window = this.#window.filter(({ second }) => second >= oldest);
  }
}
