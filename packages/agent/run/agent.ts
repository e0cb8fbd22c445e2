import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { duration, type Clock } from './clock.ts';
import { FaultBoard } from './fault-board.ts';
import type { Journal } from './journal.ts';
import { PinWatch } from './pin-watch.ts';
import type { Outcome } from './schedule.ts';
import { watchForSleep } from './sleep-watch.ts';
import { StateKeeper } from './state-keeper.ts';
import { faultStatus, type AgentStatus } from './status.ts';
import { Work, type WorkOptions } from './work.ts';

export interface AgentOptions {
  config: Config;
  env: Env;
  /** Where it remembers; null: nowhere. */
  stateDirectory: string | null;
  journal: Journal;
  clock: Clock;
  version: string;
  pid: number;
  /** Instead of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Sends heartbeats and announcements until its signal aborts. Nothing else ends it: every fault is told once, tried
 * again, and told again when it is over.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #workOptions: WorkOptions;
  readonly #startedAt: number;
  #config: Config;
  #work: Work;

  constructor(options: AgentOptions) {
    const { config, clock, journal } = options;
    const board = new FaultBoard(journal, () => clock.now());
    this.#options = options;
    this.#workOptions = {
      ...options,
      board,
      state: new StateKeeper({ ...options, board }),
      pinWatch: new PinWatch(options),
    };
    this.#startedAt = clock.now();
    this.#config = config;
    this.#work = this.#begin(config);
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    signal.addEventListener('abort', () => this.#work.end(), { once: true });
    const watching = watchForSleep(clock, signal, (ms) => this.#onClockJump(ms));
    // One configuration after the other.
    while (!signal.aborted) await this.#work.run();
    await watching;
    this.#workOptions.state.save();
  }

  /** One heartbeat and one announcement. */
  async once(signal: AbortSignal): Promise<Outcome[]> {
    signal.addEventListener('abort', () => this.#work.end(), { once: true });
    const outcomes = await this.#work.once();
    this.#workOptions.state.save();
    return outcomes;
  }

  /** Sends now what waits: something may have changed. */
  wake(): void {
    this.#work.wake();
  }

  /** Goes on with another configuration, at once. */
  reload(config: Config): void {
    const previous = this.#work;
    this.#config = config;
    this.#work = this.#begin(config);
    previous.end();
  }

  status(): AgentStatus {
    const { version, pid } = this.#options;
    const startedAt = new Date(this.#startedAt).toISOString();
    return {
      agent: { version, pid, startedAt, configFile: this.#config.file },
      ...this.#work.status(),
      stateFault: faultStatus(this.#workOptions.board.get('state')),
    };
  }

  #begin(config: Config): Work {
    const { board, state, pinWatch } = this.#workOptions;
    board.forget('heartbeats');
    board.forget('announcements');
    state.use(config);
    // It may be another node, or another service.
    pinWatch.expire();
    return new Work(config, this.#workOptions);
  }

  #onClockJump(ms: number): void {
    this.#options.journal.info(
      'clock_jumped',
      ms > 0
        ? `The clock jumped ${duration(ms)} ahead: this machine slept, or its clock was set. Sending now.`
        : `The clock was set back by ${duration(-ms)}. Sending now.`,
      { ms },
    );
    this.wake();
  }
}
