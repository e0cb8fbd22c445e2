import { setTimeout as sleep } from 'node:timers/promises';
import type { Postmaster } from './postmaster.ts';
import type { Log } from './server-log.ts';

/** Pauses before a server is started again, milliseconds; the last one again and again. */
const PAUSES_MS = [0, 100, 200, 400, 800];
/** A server that has run for this long, milliseconds, had started well. */
const SETTLED_MS = 10_000;
/** How often a start that fails is logged, milliseconds. */
const COMPLAIN_MS = 60_000;

/** Keeps a server running: starts it again whenever it ends by itself. */
export class Supervisor {
  restarts = 0;
  #server: Postmaster;
  #stopping: Promise<void> | undefined;
  readonly #abort = new AbortController();
  readonly #keeping: Promise<void>;

  private constructor(
    first: Postmaster,
    private readonly start: (signal: AbortSignal) => Promise<Postmaster>,
    private readonly log: Log,
  ) {
    this.#server = first;
    this.#keeping = this.#keep();
  }

  /** @param start starts the server @throws what the first start throws */
  static async run(
    start: (signal: AbortSignal) => Promise<Postmaster>,
    log: Log,
  ): Promise<Supervisor> {
    return new Supervisor(await start(new AbortController().signal), start, log);
  }

  /** Ends the server in good order. */
  stop(): Promise<void> {
    return (this.#stopping ??= (async () => {
      this.#abort.abort();
      await this.#server.stop();
      await this.#keeping;
    })());
  }

  async #keep(): Promise<void> {
    let early = 0;
    for (;;) {
      const startedAt = performance.now();
      const how = await this.#server.ended;
      if (this.#abort.signal.aborted) return;
      this.log.error({ how }, 'PostgreSQL has ended by itself: it is started again');
      if (performance.now() - startedAt > SETTLED_MS) early = 0;
      let complainedAt = -Infinity;
      for (;;) {
        const pause = PAUSES_MS[Math.min(early++, PAUSES_MS.length - 1)];
        try {
          await sleep(pause, undefined, { ref: false, signal: this.#abort.signal });
          this.#server = await this.start(this.#abort.signal);
          break;
        } catch (error) {
          if (this.#abort.signal.aborted) return;
          if (performance.now() - complainedAt < COMPLAIN_MS) continue;
          complainedAt = performance.now();
          this.log.error({ err: error }, 'PostgreSQL does not start; it is tried again and again');
        }
      }
      // It was asked for while the server was starting.
      if (this.#abort.signal.aborted) return this.#server.stop();
      this.restarts++;
      this.log.warn({ restarts: this.restarts }, 'PostgreSQL runs again');
    }
  }
}
