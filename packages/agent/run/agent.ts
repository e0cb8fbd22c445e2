import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { duration, type Clock } from './clock.ts';
import { FaultBoard } from './fault-board.ts';
import type { Journal } from './journal.ts';
import { PinWatch } from './pin-watch.ts';
import type { Outcome } from './schedule.ts';
import { StateKeeper } from './state-keeper.ts';
import { faultStatus, type AgentStatus } from './status.ts';
import { SendLoop, type SendLoopOptions } from './send-loop.ts';

interface AgentOptions {
  config: Config;
  env: Env;
  /** Where it keeps what it remembers; null: nowhere. */
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
  readonly #loopOptions: SendLoopOptions;
  readonly #startedAt: number;
  #config: Config;
  #loop: SendLoop;

  constructor(private readonly options: AgentOptions) {
    const { config, clock, journal } = options;
    const board = new FaultBoard(journal, () => clock.now());
    this.#loopOptions = {
      ...options,
      board,
      state: new StateKeeper({ ...options, board }),
      pinWatch: new PinWatch(options),
    };
    this.#startedAt = clock.now();
    this.#config = config;
    this.#loop = this.#begin(config);
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    signal.addEventListener('abort', () => this.#loop.end(), { once: true });
    const watching = watchForSleep(clock, signal, (ms) => this.#onClockJump(ms));
    // A loop ends when its configuration is replaced, and the next one goes on.
    while (!signal.aborted) await this.#loop.run();
    await watching;
    this.#loopOptions.state.save();
  }

  /** One heartbeat and one announcement. */
  async once(signal: AbortSignal): Promise<Outcome[]> {
    signal.addEventListener('abort', () => this.#loop.end(), { once: true });
    const outcomes = await this.#loop.once();
    this.#loopOptions.state.save();
    return outcomes;
  }

  /** Sends now what waits: something may have changed. */
  wake(): void {
    this.#loop.wake();
  }

  /** Goes on with another configuration, at once. */
  reload(config: Config): void {
    const previous = this.#loop;
    this.#config = config;
    this.#loop = this.#begin(config);
    previous.end();
  }

  status(): AgentStatus {
    const { version, pid } = this.options;
    const startedAt = new Date(this.#startedAt).toISOString();
    return {
      agent: { version, pid, startedAt, configFile: this.#config.file },
      ...this.#loop.status(),
      stateFault: faultStatus(this.#loopOptions.board.get('state')),
    };
  }

  #begin(config: Config): SendLoop {
    const { board, state, pinWatch } = this.#loopOptions;
    board.forget('heartbeats');
    board.forget('announcements');
    state.use(config);
    // The new configuration may be of another node, or of another service.
    pinWatch.expire();
    return new SendLoop(config, this.#loopOptions);
  }

  #onClockJump(ms: number): void {
    this.options.journal.info(
      'clock_jumped',
      ms > 0
        ? `The clock jumped ${duration(ms)} ahead: this machine slept, or its clock was set. Sending now.`
        : `The clock was set back by ${duration(-ms)}. Sending now.`,
      { ms },
    );
    this.wake();
  }
}

/** How often the clocks are compared, milliseconds. */
const CLOCK_CHECK_MS = 5000;
/** A machine under load may be this late, milliseconds, without having slept. */
const LATE_MS = 15_000;

/**
 * Notices that the machine's clock has jumped: timers stand still while a laptop sleeps, and go on where they were
 * when it wakes. Runs until the signal aborts.
 * @param onJump with the jump in milliseconds; negative if the clock was set back
 */
async function watchForSleep(
  clock: Clock,
  signal: AbortSignal,
  onJump: (ms: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    const before = clock.now();
    await clock.sleep(CLOCK_CHECK_MS, signal);
    const jump = clock.now() - before - CLOCK_CHECK_MS;
    if (!signal.aborted && Math.abs(jump) > LATE_MS) onJump(jump);
  }
}
