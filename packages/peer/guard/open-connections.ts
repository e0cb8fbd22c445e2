import { hostOf, isPublicAddress, networkOfHost } from '../addresses/address-group.ts';
import { draw, type Random } from '../base/collections.ts';
import { LIMITS } from '../base/limits.ts';

/** The part of libp2p's connections that counting needs. */
interface Connection {
  readonly status: string;
  readonly remoteAddr: { toString(): string };
  /** An encrypted connection has the very one of the TCP connection below it. */
  readonly timeline: object;
  addEventListener(type: 'close', listener: () => void): void;
  abort(error: Error): void;
}

interface Guest {
  connection: Connection;
  host: string;
  /** Null: in a private network all are neighbours. */
  network: string | null;
  /** Its hello has not succeeded yet. */
  isStranger: boolean;
}

interface OpenConnectionsOptions {
  /** How many of one host there may be. */
  perHost: number;
  /** How many strangers there may be: connections whose hello has not succeeded yet. */
  strangers: number;
  random?: Random;
}

/**
 * The connections that have come in and are open. Where all places of a host, of its network or of all strangers are
 * taken, one of the strangers there goes, drawn at random, and not the newcomer: so whoever holds all places without
 * saying hello keeps nobody out.
 */
export class OpenConnections {
  readonly #guests = new Map<object, Guest>();
  readonly #options: Required<OpenConnectionsOptions>;

  constructor(options: OpenConnectionsOptions) {
    this.#options = { random: Math.random, ...options };
  }

  /** @returns false if its host has as many sessions as it may have connections, or it has ended already */
  enter(connection: Connection): boolean {
    if (connection.status !== 'open') return false;
    const { perHost, strangers } = this.#options;
    const address = connection.remoteAddr.toString();
    const host = hostOf(address);
    const network = isPublicAddress(address) ? networkOfHost(address) : null;
    const hostmates = this.#those((guest) => guest.host === host);
    if (hostmates.length >= perHost && !this.#sendAway(hostmates)) return false;
    const neighbours = this.#those((guest) => guest.isStranger && guest.network === network);
    if (network && neighbours.length >= perHost * LIMITS.hostsPerNetwork)
      this.#sendAway(neighbours);
    const all = this.#those((guest) => guest.isStranger);
    if (all.length >= strangers) this.#sendAway(all);
    this.#guests.set(connection.timeline, { connection, host, network, isStranger: true });
    connection.addEventListener('close', () => this.#guests.delete(connection.timeline));
    return true;
  }

  /** Its hello has succeeded: it gives no place to others any more. */
  acquaint({ timeline }: Pick<Connection, 'timeline'>): void {
    const guest = this.#guests.get(timeline);
    if (guest) guest.isStranger = false;
  }

  #those(are: (guest: Guest) => boolean): Guest[] {
    return [...this.#guests.values()].filter(are);
  }

  /** @returns whether there was a stranger among them */
  #sendAway(guests: readonly Guest[]): boolean {
    const strangers = guests.filter(({ isStranger }) => isStranger);
    const guest = draw(strangers, this.#options.random);
    guest?.connection.abort(new Error('made room for a newcomer'));
    return guest !== undefined;
  }
}
