import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@mesh-registry/agent/run/clock.ts';

interface Sleeper {
  until: number;
  wake: () => void;
}

/** A clock for the agent: timers end when a test lets time pass. */
export class ManualClock implements Clock {
  /** What timers go by: it stands still while the machine sleeps. */
  #running = 0;
  #wall = Date.parse('2026-07-17T12:00:00.000Z');
  readonly #sleepers = new Set<Sleeper>();

  readonly now = (): number => this.#wall;

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper: Sleeper = {
        until: this.#running + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      signal.addEventListener('abort', sleeper.wake, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Resolves once this many timers are waiting: nothing else is under way. */
  async idle(sleepers: number): Promise<void> {
    while (this.#sleepers.size !== sleepers) await setImmediate();
  }

  /** Lets time pass, timer by timer. @param sleepers how many wait whenever nothing else is under way */
  async advance(ms: number, sleepers: number): Promise<void> {
    const end = this.#running + ms;
    await this.idle(sleepers);
    for (;;) {
      const next = [...this.#sleepers].sort((a, b) => a.until - b.until)[0];
      if (!next || next.until > end) break;
      this.#pass(next.until - this.#running);
      next.wake();
      await this.idle(sleepers);
    }
    this.#pass(end - this.#running);
  }

  /** The machine sleeps, or somebody sets its clock: timers do not notice. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #pass(ms: number): void {
    this.#running += ms;
    this.#wall += ms;
  }
}
