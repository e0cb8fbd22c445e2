import type { Problem, Result } from '@mesh-registry/client/index.ts';
import { CommandError } from '../base/exit.ts';
import type { Clock } from './clock.ts';
import { localFault, unknownAnswer, type Fault } from './fault.ts';
import type { Channel, FaultBoard } from './fault-board.ts';
import { Schedule, type Outcome } from './schedule.ts';
import { faultStatus, timeText, type ChannelStatus } from './status.ts';

interface OutboundOptions<Value> {
  channel: Channel;
  /** For how long after an accepted request the service shows the node, or its offers, as present, milliseconds. */
  freshMs: (value: Value) => number;
  /** Sends one request. @returns its result, or a fault where there is nothing that can be sent */
  request: (signal: AbortSignal) => Promise<Result<Value> | Fault>;
  explain: (problem: Problem, signal: AbortSignal) => Promise<Fault>;
  /** @returns when the next one is due, milliseconds */
  onAccepted: (value: Value, headers: Headers) => number;
  /** The sentence, without its end, that is told when requests are accepted again. */
  recovered: string;
  board: FaultBoard;
  clock: Clock;
}

/** Heartbeats, or announcements: what is sent again and again, and what became of it. */
export class Outbound<Value> {
  readonly schedule: Schedule;
  #accepted = 0;
  #failed = 0;
  #lastAttemptAt: number | null = null;
  #lastAcceptedAt: number | null = null;
  #freshMs = 0;

  constructor(private readonly options: OutboundOptions<Value>) {
    this.schedule = new Schedule({
      clock: options.clock,
      send: (signal) => this.attempt(signal),
    });
  }

  /** One attempt. Never rejects. */
  async attempt(signal: AbortSignal): Promise<Outcome> {
    const { board, channel, clock, recovered } = this.options;
    this.#lastAttemptAt = clock.now();
    const result = await this.#request(signal);
    if (signal.aborted) return { ok: true, nextMs: 0 };
    const outcome: Outcome =
      'kind' in result ? { ok: false, fault: result } : this.#read(result.value, result.headers);
    if (outcome.ok) {
      this.#accepted++;
      this.#lastAcceptedAt = clock.now();
      board.clear(channel, recovered);
    } else {
      this.#failed++;
      board.raise(channel, outcome.fault);
    }
    return outcome;
  }

  /** An answer without what every service says is not one: it must neither end the agent nor hurry it. */
  #read(value: Value, headers: Headers): Outcome {
    const { onAccepted, freshMs } = this.options;
    try {
      const [fresh, nextMs] = [freshMs(value), onAccepted(value, headers)];
      if (!Number.isFinite(fresh) || !Number.isFinite(nextMs))
        throw new TypeError('it does not say when to send again');
      this.#freshMs = fresh;
      return { ok: true, nextMs };
    } catch (error) {
      return { ok: false, fault: unknownAnswer((error as Error).message) };
    }
  }

  status(): ChannelStatus {
    const { board, channel, clock } = this.options;
    const sinceMs = this.#lastAcceptedAt === null ? Infinity : clock.now() - this.#lastAcceptedAt;
    return {
      fresh: sinceMs <= this.#freshMs,
      accepted: this.#accepted,
      failed: this.#failed,
      lastAttemptAt: timeText(this.#lastAttemptAt),
      lastAcceptedAt: timeText(this.#lastAcceptedAt),
      nextAttemptAt: timeText(this.schedule.nextAt),
      fault: faultStatus(board.get(channel)),
    };
  }

  async #request(signal: AbortSignal) {
    const { request, explain } = this.options;
    try {
      const result = await request(signal);
      if ('kind' in result || result.ok) return result;
      return await explain(result.problem, signal);
    } catch (error) {
      // A secret, key or file of this machine. Anything else is a bug, and no reason to give up either.
      return localFault(
        error instanceof CommandError ? error.message : `Unexpected: ${String(error)}`,
      );
    }
  }
}
