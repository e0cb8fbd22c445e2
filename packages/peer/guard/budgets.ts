import { hostOf, isPublicAddress, networkOfHost } from '../addresses/address-group.ts';
import { LIMITS } from '../base/limits.ts';
import { Line, TokenBucket, untilTaken } from '../base/token-bucket.ts';

/** What is counted: new connections, small frames, messages and their bytes, records, and requests for blocks. */
const KINDS = ['connections', 'frames', 'messages', 'bytes', 'records', 'requests'] as const;
type Kind = (typeof KINDS)[number];

/** What all peers of a host may do, however many keys they have and however often they come back. */
export interface Budget {
  /** @returns false if the host or its network has less left than that; then nothing is taken */
  take: (kind: Kind, count: number) => boolean;
  /** Takes as soon as there is enough. Those of one host wait in line. @throws if the signal ends the waiting */
  untilTaken: (kind: Kind, count: number, signal: AbortSignal) => Promise<void>;
  /** Does something after what the same host has asked for before. @throws if the signal ends the waiting */
  inTurn: <T>(turn: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/** How many of those that were used longest ago are looked at for one that makes room. */
const LOOKS = 8;

interface BudgetsOptions {
  /** How many sessions a host may have, and how many connections it may begin in a second. */
  connectionsPerHost: number;
  connectionsPerHostPerSecond: number;
  /** How many hosts and networks are remembered. */
  max?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * The budgets of hosts and of their networks: a host has as much as half of the sessions that it may have, its network as
 * much as some hosts. Whoever is over them waits, and is not punished: it may be the neighbour of the one who used them
 * up. They outlive every session. In a private network all are neighbours, so it has none. Addresses are only ever in
 * memory.
 */
export class Budgets {
  readonly #hosts: Purses;
  readonly #networks: Purses;

  constructor({
    connectionsPerHost,
    connectionsPerHostPerSecond,
    max = LIMITS.budgets,
    now,
  }: BudgetsOptions) {
    const sessions = Math.max(1, connectionsPerHost / 2);
    const purse = (hosts: number) => () => {
      const bucket = (perSecond: number, burst: number) =>
        new TokenBucket(hosts * perSecond, hosts * burst, now);
      return new Purse({
        connections: bucket(connectionsPerHostPerSecond, connectionsPerHostPerSecond),
        frames: bucket(sessions * LIMITS.smallFramesPerSecond, sessions * LIMITS.smallFramesBurst),
        messages: bucket(sessions * LIMITS.messagesPerSecond, sessions * LIMITS.messagesBurst),
        bytes: bucket(sessions * LIMITS.bytesPerSecond, sessions * LIMITS.bytesBurst),
        records: bucket(sessions * LIMITS.recordsPerSecond, sessions * LIMITS.recordsBurst),
        requests: bucket(sessions * LIMITS.requestsPerSecond, sessions * LIMITS.requestsBurst),
      });
    };
    this.#hosts = new Purses(purse(1), max);
    this.#networks = new Purses(purse(LIMITS.hostsPerNetwork), max);
  }

  /** @param address a multiaddr */
  of(address: string): Budget {
    const host = hostOf(address);
    const network = isPublicAddress(address) ? networkOfHost(address) : null;
    const take: Budget['take'] = (kind, count) => {
      // They are looked up each time, so that all sessions of a host have the same ones. The network's comes first: while
      // it has nothing left, its hosts take no places of those that are remembered.
      const shared = network === null ? null : this.#networks.of(network).buckets[kind];
      if (shared && !shared.has(count)) return false;
      return this.#hosts.of(host).buckets[kind].take(count) && (shared?.take(count) ?? true);
    };
    return {
      take,
      untilTaken: (kind, count, signal) =>
        this.#hosts
          .of(host)
          .lines[kind].join(() => untilTaken(() => take(kind, count), signal), signal),
      inTurn: (turn, signal) => this.#hosts.of(host).turns.join(turn, signal),
    };
  }
}

/** What a host or a network has left, and who waits for it. */
class Purse {
  readonly turns = new Line();
  readonly lines = Object.fromEntries(KINDS.map((kind) => [kind, new Line()])) as Record<
    Kind,
    Line
  >;

  constructor(readonly buckets: Record<Kind, TokenBucket>) {}

  /** Nothing has been taken lately, so a new one would be the same. */
  get isFull(): boolean {
    return Object.values(this.buckets).every(({ isFull }) => isFull);
  }
}

/**
 * A purse for each name, up to a bound. Only one from which nothing is missing makes room, which takes half a minute:
 * nobody gets a new one by having thousands of others used. Who finds no room shares one with others like that.
 */
class Purses {
  /** The one that was used, or looked at, last is the last. */
  readonly #purses = new Map<string, Purse>();
  readonly #shared: Purse;

  constructor(
    private readonly create: () => Purse,
    private readonly max: number,
  ) {
    this.#shared = create();
  }

  of(name: string): Purse {
    const known = this.#purses.get(name);
    if (!known && !this.#isRoom) return this.#shared;
    const purse = known ?? this.create();
    this.#purses.delete(name);
    this.#purses.set(name, purse);
    return purse;
  }

  get #isRoom(): boolean {
    if (this.#purses.size < this.max) return true;
    let looks = 0;
    for (const [name, purse] of this.#purses) {
      this.#purses.delete(name);
      if (purse.isFull) return true;
      // It stays, and lets those behind it make room.
      this.#purses.set(name, purse);
      if (++looks === LOOKS) break;
    }
    return false;
  }
}
