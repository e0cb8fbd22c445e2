import { build } from 'hdr-histogram-js';
import type { Result } from '@mesh-registry/client/index.ts';
import { codeOf, isUnanswered, TIMEOUT } from './connections.ts';

/** Rates and latencies cover this window. */
const WINDOW_MS = 10_000;

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

/** Counts the results of requests. Times are milliseconds of performance.now(). */
export class Traffic {
  readonly #accepted = { ping: 0, announce: 0 };
  readonly #errors: Record<string, number> = {};
  #lastError: string | null = null;
  /** Answers and timeouts of the window, the oldest first. */
  #recent: { at: number; accepted: Message | null; latencyMs: number }[] = [];

  constructor(private readonly startedAt: number) {}

  count(message: Message, result: Result<unknown>, latencyMs: number, now: number): void {
    if (result.ok) {
      this.#accepted[message]++;
      this.#recent.push({ at: now, accepted: message, latencyMs });
      return;
    }
    const { problem } = result;
    const code = codeOf(problem);
    if (!isUnanswered(problem) || code === TIMEOUT)
      this.#recent.push({ at: now, accepted: null, latencyMs });
    const error = 'status' in problem ? `${problem.status} ${code}` : code;
    this.#errors[error] = (this.#errors[error] ?? 0) + 1;
    if ('status' in problem) this.#lastError = `${error}: ${problem.message}`;
  }

  summary(now: number): TrafficSummary {
    this.#recent = this.#recent.filter(({ at }) => at > now - WINDOW_MS);
    const seconds = Math.min(WINDOW_MS, Math.max(1000, now - this.startedAt)) / 1000;
    const perSecond = (message: Message) =>
      this.#recent.filter(({ accepted }) => accepted === message).length / seconds;
    const latencyUs = build();
    for (const { latencyMs } of this.#recent) latencyUs.recordValue(Math.round(latencyMs * 1000));
    const percentile = (share: number) => latencyUs.getValueAtPercentile(share) / 1000;
    return {
      pings: this.#accepted.ping,
      announces: this.#accepted.announce,
      pingsPerSecond: perSecond('ping'),
      announcesPerSecond: perSecond('announce'),
      latencyMs:
        this.#recent.length === 0
          ? null
          : { p50: percentile(50), p95: percentile(95), p99: percentile(99) },
      errors: { ...this.#errors },
      lastError: this.#lastError,
    };
  }
}
