import { randomBytes } from 'node:crypto';
import type { Connection } from '@libp2p/interface';
import type { Channel } from './channel.ts';
import { LIMITS } from '../base/limits.ts';
import type { ControlMessage, Have, Hello } from './messages.schema.ts';
import { RoundTrip } from './round-trip.ts';
import type { SessionStatus } from '../base/status.ts';
import type { Budget } from '../guard/budgets.ts';
import { TokenBucket } from '../base/token-bucket.ts';

/** A peer with which the hello has succeeded. */
export class Session {
  readonly messages = new TokenBucket(LIMITS.messagesPerSecond, LIMITS.messagesBurst);
  readonly #records = new TokenBucket(LIMITS.recordsPerSecond, LIMITS.recordsBurst);
  /** Records that we have asked for and that have not come. */
  #owed = 0;
  /** Limits of requests for blocks: of those that the peer makes, and of those that we make. */
  readonly requests = new TokenBucket(LIMITS.requestsPerSecond, LIMITS.requestsBurst);
  readonly asked = new TokenBucket(LIMITS.requestsPerSecond, LIMITS.requestsBurst);
  /** Records that we pass on from this peer, half as many as it may send: nobody can flood others through us. */
  readonly #passed = new TokenBucket(LIMITS.recordsPerSecond / 2, LIMITS.recordsBurst / 2);
  readonly #roundTrip = new RoundTrip();
  readonly #agent: string;
  readonly #since = Date.now();
  readonly #ended = new AbortController();
  /** Pings without an answer, in their order: when they were sent. */
  readonly #pings = new Map<string, number>();
  #told: Have | null = null;
  #telling: Have | null = null;
  #tellTimer: NodeJS.Timeout | undefined;
  /** When it has to leave, by `performance.now()`, because it came while there was no room; null: it may stay. */
  visitUntil: number | null = null;
  /** The reason for leaving that the peer gave. */
  farewell: string | null = null;
  /** How many times it brought nothing of what it had promised, or took too long. */
  disappointments = 0;
  /** The versions and height that the peer announced last. */
  have: Have;
  /** The newest versions that it promised without bringing anything new: it is not asked for these again. */
  fruitless = { root: 0, truth: 0 };

  /** The network group of its address, from `addressGroup`. */
  readonly group: string;
  /** What all peers of its host have together, beside what each session has. */
  readonly budget: Budget;

  constructor(
    readonly peer: string,
    readonly connection: Connection,
    readonly channel: Channel,
    { group, budget }: { group: string; budget: Budget },
    { agent, root, truth, height }: Hello,
  ) {
    this.group = group;
    this.budget = budget;
    this.#agent = agent;
    this.have = { root, truth, height };
  }

  get outbound(): boolean {
    return this.connection.direction === 'outbound';
  }

  /** Aborted when the session ends. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    clearTimeout(this.#tellTimer);
    this.#ended.abort();
  }

  /** Does not wait: what a peer does not read piles up to a bound, then its stream ends, and with it the session. */
  send(message: ControlMessage): void {
    this.channel.send(message).catch((error: unknown) => this.channel.abort(String(error)));
  }

  /** Asks for the peers that it knows. */
  askForPeers(): void {
    this.#owed = LIMITS.recordsPerMessage;
    this.send({ t: 'getpeers' });
  }

  /** Counts records that have come; those that it was asked for are free. @returns false if they are too many */
  takeRecords(count: number): boolean {
    const owed = Math.min(count, this.#owed);
    this.#owed -= owed;
    return this.#records.take(count - owed);
  }

  /** Passes on records of others, unless it got many lately: then it learns them from others, or when it asks. */
  pass(records: Extract<ControlMessage, { t: 'peers' }>['records']): void {
    if (records.length > 0 && this.#passed.take(records.length)) this.send({ t: 'peers', records });
  }

  /**
   * Tells what we have: at once, if it has less, else with the next ping. Not more often than it is read, and never the
   * same twice, so that two peers do not echo each other.
   */
  tell(have: Have): void {
    this.#telling = have;
    if (!hasLess(this.have, have) || this.#tellTimer || this.#ended.signal.aborted) return;
    this.#tell();
    this.#tellTimer = setTimeout(() => {
      this.#tellTimer = undefined;
      if (this.#telling) this.tell(this.#telling);
    }, LIMITS.haveMs).unref();
  }

  #tell(): void {
    const [have, told] = [this.#telling, this.#told];
    this.#telling = null;
    if (
      !have ||
      (told?.root === have.root && told.truth === have.truth && told.height === have.height)
    )
      return;
    this.#told = have;
    this.send({ t: 'have', ...have });
  }

  /** @returns false if it has missed too many */
  ping(): boolean {
    if (this.#pings.size >= LIMITS.missedPings) return false;
    const n = randomBytes(8).toString('hex');
    this.#pings.set(n, performance.now());
    this.send({ t: 'ping', n });
    this.#tell();
    return true;
  }

  /** @returns false if there was no such ping */
  pong(n: string): boolean {
    const at = this.#pings.get(n);
    if (at === undefined) return false;
    this.#roundTrip.add(performance.now() - at);
    // Answers come in the order of the pings.
    for (const earlier of this.#pings.keys()) {
      this.#pings.delete(earlier);
      if (earlier === n) break;
    }
    return true;
  }

  /** The smallest is asked first: a peer that has not disappointed, then one that was dialled, then the nearest. */
  get distance(): number {
    const rtt = Math.min(this.#roundTrip.status?.smoothed ?? 1000, 50_000);
    return rtt + (this.outbound ? 0 : 60_000) + this.disappointments * 120_000;
  }

  get status(): SessionStatus {
    return {
      peer: this.peer,
      direction: this.outbound ? 'outbound' : 'inbound',
      since: new Date(this.#since).toISOString(),
      agent: this.#agent,
      rtt: this.#roundTrip.status,
      ...this.have,
    };
  }
}

const hasLess = (theirs: Have, ours: Have): boolean =>
  theirs.root < ours.root || theirs.truth < ours.truth || theirs.height < ours.height;
