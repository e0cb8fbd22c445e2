import { once } from 'node:events';
import type { AnnounceAnswer, MeshRegistry, PingAnswer, Problem } from '#client/index.ts';
import { OFFLINE_AFTER_MS } from '#server/mesh/values.schema.ts';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { announcement, heartbeatBody } from './bodies.ts';
import { Sending } from './channel.ts';
import { duration, type Clock } from './clock.ts';
import { nodeClient, readCredentials, type Credentials } from './credentials.ts';
import { CLOCK_LIMIT_MS, clockFault, faultOf, localFault, type Fault } from './fault.ts';
import { FaultBoard } from './fault-board.ts';
import type { Journal } from './journal.ts';
import { describeListing, describePlace } from './messages.ts';
import type { Outcome } from './schedule.ts';
import { watchForSleep } from './sleep-watch.ts';
import { StateKeeper } from './state-keeper.ts';
import { faultStatus, type AgentStatus, type OfferStatus, type Published } from './status.ts';

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
  readonly #board: FaultBoard;
  readonly #startedAt: number;
  readonly #state: StateKeeper;
  #config: Config;
  #credentials: Credentials | null = null;
  #heartbeats: Sending<PingAnswer> | null = null;
  #announcements: Sending<AnnounceAnswer> | null = null;
  #published: Published | null = null;
  #offers: OfferStatus[] = [];
  #clockSkewMs: number | null = null;
  /** Ends the schedules of the present configuration. */
  #generation = new AbortController();

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#startedAt = options.clock.now();
    this.#board = new FaultBoard(options.journal, () => options.clock.now());
    this.#state = new StateKeeper({ ...options, board: this.#board });
    this.#compose();
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, journal } = this.#options;
    const end = () => this.#generation.abort();
    signal.addEventListener('abort', end, { once: true });
    const watching = watchForSleep(clock, signal, (ms) => {
      journal.info(
        'clock_jumped',
        ms > 0
          ? `The clock jumped ${duration(ms)} ahead: this machine slept, or its clock was set. Sending now.`
          : `The clock was set back by ${duration(-ms)}. Sending now.`,
        { ms },
      );
      this.wake();
    });
    // Each turn is one configuration.
    while (!signal.aborted) {
      const generation = this.#generation.signal;
      await Promise.all([
        once(generation, 'abort'),
        this.#heartbeats?.schedule.run(generation),
        this.#announcements?.schedule.run(generation),
      ]);
    }
    await watching;
    this.#state.save();
  }

  /** One heartbeat and one announcement. */
  async once(signal: AbortSignal): Promise<Outcome[]> {
    const outcomes = await Promise.all(
      [this.#heartbeats, this.#announcements].flatMap((sending) =>
        sending ? [sending.attempt(signal)] : [],
      ),
    );
    this.#state.save();
    return outcomes;
  }

  /** Sends now what waits: the network may be back, or the configuration may have changed. */
  wake(): void {
    this.#heartbeats?.schedule.wake();
    this.#announcements?.schedule.wake();
  }

  /** Goes on with another configuration, at once. */
  reload(config: Config): void {
    const previous = this.#generation;
    this.#config = config;
    this.#generation = new AbortController();
    this.#compose();
    previous.abort();
  }

  status(): AgentStatus {
    const { version, pid } = this.#options;
    return {
      agent: {
        version,
        pid,
        startedAt: new Date(this.#startedAt).toISOString(),
        configFile: this.#config.file,
      },
      service: this.#config.service.url,
      node: { id: this.#config.node.id, key: this.#credentials?.identity.publicKey ?? null },
      heartbeats: this.#heartbeats && {
        ...this.#heartbeats.status(),
        published: this.#published,
      },
      announcements: this.#announcements && {
        ...this.#announcements.status(),
        offers: this.#offers,
      },
      clockSkewMs: this.#clockSkewMs,
      stateFault: faultStatus(this.#board.get('state')),
    };
  }

  /** What the present configuration sends. */
  #compose(): void {
    const { clock } = this.#options;
    const board = this.#board;
    const config = this.#config;
    this.#published = null;
    this.#offers = [];
    board.forget('heartbeats');
    board.forget('announcements');
    this.#state.use(config);
    const explain = (subject: string) => (problem: Problem, signal: AbortSignal) =>
      this.#explain(problem, subject, signal);
    const body = heartbeatBody(config);
    this.#heartbeats =
      body &&
      new Sending({
        channel: 'heartbeats',
        board,
        clock,
        freshMs: () => OFFLINE_AFTER_MS,
        request: (signal) => this.#client(config).ping(body, { signal }),
        explain: explain('heartbeat'),
        onAccepted: (answer, headers) => this.#onHeartbeat(answer, headers),
        recovered: 'Heartbeats are accepted again',
      });
    this.#announcements =
      config.compute.length === 0
        ? null
        : new Sending({
            channel: 'announcements',
            board,
            clock,
            freshMs: ({ availableMs }) => availableMs,
            request: (signal) => this.#announce(config, signal),
            explain: explain('announcement'),
            onAccepted: (answer, headers) => this.#onAnnouncement(answer, headers),
            recovered: 'Announcements are accepted again',
          });
  }

  /** Reads secret and key for each request, so that replacing them needs no restart. @throws CommandError */
  #client(config: Config): MeshRegistry {
    const { env, fetch } = this.#options;
    this.#credentials = readCredentials(config, env);
    // The schedule repeats, and tells why.
    return nodeClient(config, this.#credentials, { retries: 0, fetch });
  }

  async #announce(config: Config, signal: AbortSignal) {
    const { body, problems } = await announcement(config, this.#options.env, signal);
    if (body === null) return localFault(problems.join(' '));
    this.#slotProblems(problems);
    return this.#client(config).announce(body, { signal });
  }

  #told: string[] = [];
  /** Some offers cannot be announced while others can: told once, while it stays the same. */
  #slotProblems(problems: string[]): void {
    const { journal } = this.#options;
    for (const problem of problems)
      if (!this.#told.includes(problem)) journal.warn('free_slots_unknown', problem);
    this.#told = problems;
  }

  async #explain(problem: Problem, subject: string, signal: AbortSignal): Promise<Fault> {
    const { clock } = this.#options;
    const fault = faultOf(problem, subject, {
      url: this.#config.service.url,
      secret: this.#credentials?.secret ?? null,
      configFile: this.#config.file,
      now: clock.now(),
    });
    if (fault.kind !== 'signature_invalid') return fault;
    // Most often it is the clock: the service tells its own time with any answer.
    const described = await this.#client(this.#config).describePing({ signal });
    if (described.ok) this.#measureClock(described.headers);
    return Math.abs(this.#clockSkewMs ?? 0) > CLOCK_LIMIT_MS
      ? { ...clockFault(this.#clockSkewMs ?? 0), retryAfterMs: fault.retryAfterMs }
      : fault;
  }

  #measureClock(headers: Headers): void {
    const theirs = Date.parse(headers.get('date') ?? '');
    if (!Number.isNaN(theirs)) this.#clockSkewMs = this.#options.clock.now() - theirs;
  }

  #onHeartbeat(answer: PingAnswer, headers: Headers): number {
    const { journal } = this.#options;
    this.#measureClock(headers);
    const { label, class: size, region, status, lat, lng } = answer.peer;
    const first = this.#published === null;
    this.#published = { label, class: size, region, status, lat, lng };
    if (answer.isNew && this.#state.wasKnown)
      journal.warn(
        'node_forgotten',
        'The service did not know this node any more: it was restored from a back-up, or the node was removed. It is on the map again; "mesh-agent identity show" tells whether its key is still pinned.',
      );
    if (first) journal.info('on_the_map', describePlace(answer), { peer: answer.peer });
    if (first && answer.dropped.includes('label'))
      journal.warn(
        'label_dropped',
        `The service does not publish the label: it looks like an address, or nothing is left of it without markup. Change node.label in ${this.#config.file}.`,
      );
    this.#state.accepted();
    return answer.nextPingMs;
  }

  #onAnnouncement(answer: AnnounceAnswer, headers: Headers): number {
    const { journal } = this.#options;
    this.#measureClock(headers);
    const before = new Map(this.#offers.map((offer) => [offer.name, offer]));
    this.#offers = answer.computes.map(({ name, freeSlots, listed, reason }) => ({
      name,
      freeSlots,
      listed,
      reason,
    }));
    for (const offer of this.#offers) {
      const known = before.get(offer.name);
      if (known?.listed === offer.listed && known.reason === offer.reason) continue;
      journal.info(offer.listed ? 'offer_listed' : 'offer_not_listed', describeListing(offer), {
        ...offer,
      });
    }
    return answer.nextAnnounceMs;
  }
}
