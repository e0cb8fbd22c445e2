import { addressGroup, isPublicAddress } from '../addresses/address-group.ts';
import type { PeerContext } from '../context.ts';
import { lookupsFor } from '../addresses/dns-lookup.ts';
import { RefusedError } from '../session/handshake.ts';
import { resolveAddresses, type Lookup } from '../addresses/resolve.ts';
import type { Session } from '../session/session.ts';

/** New dials at a time. */
const DIALS_MAX = 8;
/** The wait before Genesis is dialled again, which doubles each time. */
const GENESIS_RETRY_MS = { first: 1000, most: 30_000 };
/** The same where it had no room, for whoever has found others: so newcomers get through. */
const GENESIS_FULL_MS = { first: 30_000, most: 600_000 };

interface DialerOptions {
  /** Dials a peer at IP addresses, and resolves once there is a session. @throws RefusedError, or why there is none */
  dial: (peer: string, addresses: readonly string[]) => Promise<void>;
  /** For all names, in place of {@link lookupsFor}. */
  lookup: Lookup | undefined;
  /** Addresses of the bootstrap peers, with `/p2p/`. The operator vouches for them, so they may be private. */
  genesis: readonly string[];
  /** How many sessions to dial. */
  outbound: number;
  /** Whether addresses in the book may lead to this machine and to private networks. */
  privateAddresses: boolean;
  /** Whether a peer must not be dialled. */
  isRefused: (peer: string) => boolean;
}

interface Genesis {
  peer: string;
  addresses: string[];
  /** How many dials in a row have failed or found no room. */
  fruitless: number;
  /** Whether the last one found no room. */
  isFull: boolean;
  /** When that was, milliseconds. */
  triedAt: number;
  /** The share of the wait that is drawn, 0.5 to 1: peers that failed together do not return together. */
  haste: number;
}

type Outcome = 'reached' | 'busy' | 'refused' | 'failed';

/** Keeps as many outbound sessions as wanted, and always one with each Genesis peer. */
export class Dialer {
  /** The dials under way: the peer, and the network group it is dialled in. */
  readonly #dialing = new Map<string, string>();
  readonly #genesis: Genesis[];
  readonly #lookups: ReturnType<typeof lookupsFor>;
  /** Since when no peer is connected, milliseconds since 1970; null: one is. */
  #aloneSince: number | null = null;

  constructor(
    private readonly context: PeerContext,
    private readonly options: DialerOptions,
  ) {
    this.#lookups = lookupsFor(options);
    const byPeer = new Map<string, string[]>();
    for (const address of options.genesis) {
      const peer = address.split('/p2p/')[1] ?? '';
      if (peer !== context.me.id) byPeer.set(peer, [...(byPeer.get(peer) ?? []), address]);
    }
    this.#genesis = [...byPeer].map(([peer, addresses]) => ({
      peer,
      addresses,
      fruitless: 0,
      isFull: false,
      triedAt: -Infinity,
      haste: 1,
    }));
  }

  /** How many Genesis peers there are, and with how many there is a session. */
  get genesis(): { configured: number; connected: number } {
    const connected = this.#genesis.filter(({ peer }) => this.context.sessions.get(peer)).length;
    return { configured: this.#genesis.length, connected };
  }

  /** Dials the peers whose wait is over. */
  tick(): void {
    const { book, sessions } = this.context;
    this.#aloneSince = sessions.size > 0 ? null : (this.#aloneSince ?? Date.now());
    for (const genesis of this.#genesis) this.#dialGenesis(genesis);
    const outbound = sessions.outbound;
    const free = this.options.outbound - outbound.length - this.#dialing.size;
    const count = Math.min(free, DIALS_MAX - this.#dialing.size);
    if (count <= 0) return;
    const connected = new Set([...sessions].map(({ peer }) => peer));
    const dialing = new Set(this.#dialing.keys());
    const groups = new Set([
      ...outbound.flatMap(({ peer, group }) => [group, book.dialledGroup(peer) ?? group]),
      ...this.#dialing.values(),
    ]);
    for (const { peer, group, addrs } of book.candidates(count, { connected, dialing, groups }))
      void this.#dial(peer, group, addrs, {
        lookup: this.#lookups.strangers,
        isAllowed: (address) => this.#mayDial(address),
      }).then((outcome) => {
        if (outcome === 'failed') return book.failed(peer, this.#aloneMs());
        if (outcome !== 'reached' || this.#leaveCrowd(peer)) return book.failed(peer);
        const session = sessions.get(peer);
        book.succeeded(peer, session?.outbound ? session.group : null);
      });
  }

  #aloneMs(): number | null {
    const since = this.#aloneSince;
    return since === null || this.context.sessions.size > 0 ? null : Date.now() - since;
  }

  /** Whether to dial where a record, or a name in it, has led. */
  #mayDial(address: string): boolean {
    const group = addressGroup(address);
    return (
      (this.options.privateAddresses || isPublicAddress(address)) &&
      this.context.sessions.outbound.every((session) => session.group !== group)
    );
  }

  /** Of several dials at a time that have led to one network, one session stays. */
  #leaveCrowd(peer: string): boolean {
    const { sessions } = this.context;
    const session = sessions.get(peer);
    if (!session || !isCrowding(session, sessions.outbound)) return false;
    sessions.dismiss(session, 'busy', 'crowded');
    return true;
  }

  #dialGenesis(genesis: Genesis): void {
    const { peer, addresses, triedAt } = genesis;
    if (Date.now() - triedAt < this.#wait(genesis)) return;
    if (this.context.sessions.get(peer) || this.#dialing.has(peer)) return;
    if (this.options.isRefused(peer)) return;
    void this.#dial(peer, addressGroup(addresses[0] ?? ''), addresses, {
      lookup: this.#lookups.operator,
      isAllowed: () => true,
    }).then((outcome) => {
      genesis.triedAt = Date.now();
      // Genesis may have let this peer in for a short visit only: then `left` counts it, when the session ends.
      if (outcome !== 'reached') this.#count(genesis, outcome === 'busy');
    });
  }

  #count(genesis: Genesis, isFull: boolean): void {
    const fruitless = genesis.isFull === isFull ? genesis.fruitless + 1 : 1;
    Object.assign(genesis, {
      fruitless,
      isFull,
      triedAt: Date.now(),
      haste: 0.5 + Math.random() / 2,
    });
  }

  /** Milliseconds from one dial to the next. */
  #wait({ fruitless, isFull, haste }: Genesis): number {
    const isLonely = this.context.sessions.outbound.length * 2 < this.options.outbound;
    const { first, most } = isFull && !isLonely ? GENESIS_FULL_MS : GENESIS_RETRY_MS;
    return Math.min(most, first * 2 ** Math.max(0, fruitless - 1)) * haste;
  }

  /** A session has ended. A peer that had no room is not dialled again at once: it will have none a second later. */
  left({ peer, outbound, farewell }: Pick<Session, 'peer' | 'outbound' | 'farewell'>): void {
    const genesis = this.#genesis.find((one) => one.peer === peer);
    const isFull = outbound && farewell === 'busy';
    if (isFull) this.context.book.failed(peer);
    if (genesis && isFull) this.#count(genesis, true);
    else if (genesis) Object.assign(genesis, { fruitless: 0, isFull: false });
  }

  async #dial(
    peer: string,
    group: string,
    addresses: readonly string[],
    { lookup, isAllowed }: { lookup: Lookup; isAllowed: (address: string) => boolean },
  ): Promise<Outcome> {
    this.#dialing.set(peer, group);
    try {
      const resolved = await resolveAddresses(addresses, lookup);
      const allowed = resolved.filter(isAllowed);
      if (allowed.length === 0) return 'failed';
      await this.options.dial(peer, allowed);
      return 'reached';
    } catch (error) {
      if (!(error instanceof RefusedError)) return 'failed';
      return error.code === 'busy' ? 'busy' : 'refused';
    } finally {
      this.#dialing.delete(peer);
    }
  }
}

/** Whether an outbound session has led to the network group of another one. */
export const isCrowding = (
  session: Pick<Session, 'outbound' | 'group'>,
  outbound: readonly Pick<Session, 'group'>[],
): boolean =>
  session.outbound && outbound.some((other) => other !== session && other.group === session.group);
