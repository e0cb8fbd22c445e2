import { networkOf } from '@mesh-registry/protocol/ip-network.ts';

/** The part of libp2p's connections that counting needs. */
interface Connection {
  readonly status: string;
  readonly remoteAddr: { toString(): string };
  addEventListener(type: 'close', listener: () => void): void;
}

const SECOND_MS = 1000;

/** How many connections each host has open, and has begun. Hosts are only ever in memory. */
export class ConnectionsPerHost {
  readonly #open = new Map<string, number>();
  /** How many connections each host has begun since `#since`. */
  readonly #begun = new Map<string, number>();
  #since = 0;

  constructor(
    private readonly max: number,
    private readonly maxPerSecond: number,
  ) {}

  /** @returns false if the host has begun as many as it may within a second */
  begin({ remoteAddr }: Pick<Connection, 'remoteAddr'>): boolean {
    const now = performance.now();
    if (now - this.#since >= SECOND_MS) {
      this.#begun.clear();
      this.#since = now;
    }
    const host = hostOf(remoteAddr.toString());
    const begun = (this.#begun.get(host) ?? 0) + 1;
    this.#begun.set(host, begun);
    return begun <= this.maxPerSecond;
  }

  /** @returns false if the host has as many as it may, or the connection has ended already */
  enter(connection: Connection): boolean {
    const host = hostOf(connection.remoteAddr.toString());
    const open = this.#open.get(host) ?? 0;
    if (open >= this.max || connection.status !== 'open') return false;
    this.#open.set(host, open + 1);
    connection.addEventListener('close', () => {
      const left = (this.#open.get(host) ?? 1) - 1;
      if (left > 0) this.#open.set(host, left);
      else this.#open.delete(host);
    });
    return true;
  }
}

/** Whose connections are counted together: an IPv4 address, or the /64 of IPv6, which one host has for itself. */
export const hostOf = (address: string): string =>
  networkOf(/\/(?:ip[46]|dns[46]?)\/([^/]+)/.exec(address)?.[1] ?? '');
