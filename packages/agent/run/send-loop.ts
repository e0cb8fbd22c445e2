import { once } from 'node:events';
import type {
  AnnounceAnswer,
  MeshRegistry,
  PingAnswer,
  Problem,
  Result,
} from '@mesh-registry/client/index.ts';
import { OFFLINE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { announcement, heartbeatBody } from './bodies.ts';
import { Outbound } from './outbound.ts';
import type { Clock } from './clock.ts';
import { nodeClient, readCredentials, type Credentials } from './credentials.ts';
import type { FaultBoard } from './fault-board.ts';
import { CLOCK_LIMIT_MS, clockFault, faultOf, localFault, type Fault } from './fault.ts';
import type { Journal } from './journal.ts';
import type { PinWatch } from './pin-watch.ts';
import { Published } from './published.ts';
import { serviceClient } from './service-client.ts';
import { SigningClock } from '../identity/signing-clock.ts';
import type { Outcome } from './schedule.ts';
import type { StateKeeper } from './state-keeper.ts';
import type { AgentStatus } from './status.ts';

export interface SendLoopOptions {
  env: Env;
  clock: Clock;
  journal: Journal;
  board: FaultBoard;
  state: StateKeeper;
  pinWatch: PinWatch;
  /** Instead of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** How long a question may take, milliseconds: heartbeats, which matter more, wait for it. */
const QUESTION_TIMEOUT_MS = 3000;

/** What one configuration makes the agent send, and what became of it. */
export class SendLoop {
  readonly #published: Published;
  readonly #heartbeats: Outbound<PingAnswer> | null;
  readonly #announcements: Outbound<AnnounceAnswer> | null;
  readonly #ending = new AbortController();
  #credentials: Credentials | null = null;
  #clockSkewMs: number | null = null;
  readonly #signingClock = new SigningClock();

  constructor(
    private readonly config: Config,
    private readonly options: SendLoopOptions,
  ) {
    const { board, clock, journal } = options;
    this.#published = new Published(journal, config.file);
    const body = heartbeatBody(config);
    this.#heartbeats =
      body &&
      new Outbound({
        channel: 'heartbeats',
        board,
        clock,
        freshMs: () => OFFLINE_AFTER_MS,
        request: async (signal) => {
          const beat = await this.#signed((client) => client.ping(body, { signal }));
          // A service that has forgotten the node may have forgotten its key.
          if (beat.ok && beat.value.isNew) options.pinWatch.expire();
          if (beat.ok) await this.#lookAtPin(signal);
          return beat;
        },
        explain: (problem, signal) => this.#explain(problem, 'heartbeat', signal),
        onAccepted: (answer, headers) => this.#onHeartbeat(answer, headers),
        recovered: 'Heartbeats are accepted again',
      });
    this.#announcements =
      config.compute.length === 0
        ? null
        : new Outbound({
            channel: 'announcements',
            board,
            clock,
            freshMs: ({ availableMs }) => availableMs,
            request: (signal) => this.#announce(signal),
            explain: (problem, signal) => this.#explain(problem, 'announcement', signal),
            onAccepted: (answer, headers) => this.#onAnnouncement(answer, headers),
            recovered: 'Announcements are accepted again',
          });
  }

  /** Sends until it is ended. */
  async run(): Promise<void> {
    const { signal } = this.#ending;
    if (signal.aborted) return;
    await Promise.all([
      once(signal, 'abort'),
      this.#heartbeats?.schedule.run(signal),
      this.#announcements?.schedule.run(signal),
    ]);
  }

  /** One heartbeat and one announcement. */
  once(): Promise<Outcome[]> {
    const { signal } = this.#ending;
    return Promise.all(
      [this.#heartbeats, this.#announcements].flatMap((outbound) =>
        outbound ? [outbound.attempt(signal)] : [],
      ),
    );
  }

  /** Sends now what waits. */
  wake(): void {
    this.#heartbeats?.schedule.wake();
    this.#announcements?.schedule.wake();
  }

  /** Ends the loop, and the request that is under way. */
  end(): void {
    this.#ending.abort();
  }

  status(): Omit<AgentStatus, 'agent' | 'stateFault'> {
    return {
      service: this.config.service.url,
      node: {
        id: this.config.node.id,
        key: this.#credentials?.identity.publicKey ?? null,
        pin: this.options.pinWatch.pin,
      },
      heartbeats: this.#heartbeats && {
        ...this.#heartbeats.status(),
        published: this.#published.node,
      },
      announcements: this.#announcements && {
        ...this.#announcements.status(),
        offers: this.#published.offers,
      },
      clockSkewMs: this.#clockSkewMs,
    };
  }

  /** Reads secret and key for each request, so that replacing them needs no restart. @throws CommandError */
  #client(): MeshRegistry {
    const { env, fetch } = this.options;
    this.#credentials = readCredentials(this.config, env);
    // The schedule repeats, and tells why.
    return nodeClient(this.config, this.#credentials, {
      retries: 0,
      fetch,
      now: this.#signingClock.now,
    });
  }

  /** For questions that need no credentials. */
  #reader(): MeshRegistry {
    const { fetch } = this.options;
    const { url } = this.config.service;
    return serviceClient({ url, retries: 0, timeoutMs: QUESTION_TIMEOUT_MS, fetch });
  }

  async #announce(signal: AbortSignal) {
    const { body, problems } = await announcement(this.config, this.options.env, signal);
    if (body === null) return localFault(problems.join(' '));
    this.#published.onProblems(problems);
    const announced = await this.#signed((client) => client.announce(body, { signal }));
    if (announced.ok) await this.#lookAtPin(signal);
    return announced;
  }

  /** Sends again, signed anew, what came too late: it was under way while the machine slept, or its clock was set. */
  async #signed<Value>(
    send: (client: MeshRegistry) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const result = await send(this.#client());
    const late =
      !result.ok &&
      result.problem.kind === 'refused' &&
      result.problem.code === 'signature_invalid';
    return late ? send(this.#client()) : result;
  }

  async #explain(problem: Problem, subject: string, signal: AbortSignal): Promise<Fault> {
    const fault = faultOf(problem, subject, {
      url: this.config.service.url,
      secret: this.#credentials?.secret ?? null,
      configFile: this.config.file,
      now: this.options.clock.now(),
    });
    if (fault.kind === 'signature_required' || fault.kind === 'signature_invalid') {
      this.options.pinWatch.expire();
      await this.#lookAtPin(signal);
    }
    if (fault.kind !== 'signature_invalid') return fault;
    // Most often the clock is wrong: the service tells its own time with any answer.
    const described = await this.#reader().describePing({ signal });
    if (described.ok) this.#measureClock(described.headers);
    const skewMs = this.#clockSkewMs ?? 0;
    return Math.abs(skewMs) > CLOCK_LIMIT_MS
      ? { ...clockFault(skewMs), retryAfterMs: fault.retryAfterMs }
      : fault;
  }

  #onHeartbeat(answer: PingAnswer, headers: Headers): number {
    const { state } = this.options;
    this.#measureClock(headers);
    this.#published.onHeartbeat(answer, state.wasKnown);
    state.accepted();
    return answer.nextPingMs;
  }

  #onAnnouncement(answer: AnnounceAnswer, headers: Headers): number {
    this.#measureClock(headers);
    this.#published.onAnnouncement(answer);
    return answer.nextAnnounceMs;
  }

  #measureClock(headers: Headers): void {
    const theirs = Date.parse(headers.get('date') ?? '');
    if (!Number.isNaN(theirs)) this.#clockSkewMs = this.options.clock.now() - theirs;
  }

  /** Asks to which key the node is pinned: right after a request, so that it takes the same connection. */
  async #lookAtPin(signal: AbortSignal): Promise<void> {
    const publicKey = this.#credentials?.identity.publicKey;
    if (publicKey === undefined) return;
    const node = { nodeId: this.config.node.id, publicKey };
    await this.options.pinWatch.look(this.#reader(), node, signal);
  }
}
