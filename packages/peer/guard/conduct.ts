import { z } from 'zod';
import { PeerId } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { hostOf, isPublicAddress, networkOfHost } from '../addresses/address-group.ts';
import { PointTable, type Points } from './point-table.ts';

/** Points at which a peer is refused: a peer that merely makes a mistake now and then never gets there. */
export const REFUSED_AT = 100;
/**
 * Points at which a host gets no new session, whatever its keys: two peers that were refused, so that one attacker does not
 * shut out those behind the same router. Those who are connected stay.
 */
export const HOST_REFUSED_AT = 200;
/** The same for a network, a /24 of IPv4 or a /48 of IPv6: ten peers that were refused. */
export const NETWORK_REFUSED_AT = 1000;

/** How many are remembered that are refused, and that have points. */
export const REFUSED_MAX = 5000;
export const COUNTED_MAX = 1000;

const Entry = z.strictObject({
  peer: PeerId,
  points: z.number().min(0),
  at: z.number(),
  refusedUntil: z.number().nullable(),
});
type Entry = z.infer<typeof Entry>;

/** What is kept on disk: a list, of which each entry is checked by itself. */
const Stored = z.object({ peers: z.array(z.unknown()) });

interface ConductOptions {
  /** Milliseconds since 1970. */
  now?: () => number;
  /** What {@link Conduct.state} was before the restart; anything else counts as nothing. */
  state?: unknown;
  /** See {@link HOST_REFUSED_AT}. */
  hostRefusedAt?: number;
}

/**
 * How peers have behaved. Misbehaviour costs points, time forgives them, and {@link REFUSED_AT} refuse a peer for an hour.
 * Keys cost nothing, so points count for the host and for the network as well. These are in memory only: no address is
 * ever stored.
 */
export class Conduct {
  readonly #peers: PointTable;
  readonly #hosts: PointTable;
  readonly #networks: PointTable;

  constructor({ now = Date.now, state, hostRefusedAt = HOST_REFUSED_AT }: ConductOptions = {}) {
    const table = (refusedAt: number) =>
      new PointTable({ now, refusedAt, maxRefused: REFUSED_MAX, maxCounted: COUNTED_MAX });
    this.#peers = table(REFUSED_AT);
    this.#hosts = table(hostRefusedAt);
    this.#networks = table(NETWORK_REFUSED_AT);
    const stored = Stored.safeParse(state);
    for (const value of stored.data?.peers.slice(0, REFUSED_MAX + COUNTED_MAX) ?? []) {
      // The other entries count although this one is damaged.
      const { data: entry } = Entry.safeParse(value);
      if (entry) this.#peers.restore(entry.peer, pointsIn(entry));
    }
  }

  /**
   * Notes misbehaviour of a peer that has proved its id.
   * @param address the multiaddr from which, or at which, it did that
   * @returns whether the peer has to go: it is refused from now on
   */
  punish(peer: string, points: number, address: string): boolean {
    this.#hosts.add(hostOf(address), points);
    // In a private network all are neighbours.
    if (isPublicAddress(address)) this.#networks.add(networkOfHost(address), points);
    return this.#peers.add(peer, points);
  }

  /** Until when a peer is refused, milliseconds since 1970; null: it is welcome. */
  refusedUntil(peer: string): number | null {
    return this.#peers.refusedUntil(peer);
  }

  /** Whether nobody new is welcome from an address, because of what others have done from there. */
  isHostRefused(address: string): boolean {
    return (
      this.#hosts.refusedUntil(hostOf(address)) !== null ||
      this.#networks.refusedUntil(networkOfHost(address)) !== null
    );
  }

  /** What is stored: refusals that hold, and points that are not forgiven yet. */
  get state(): { peers: Entry[] } {
    return { peers: this.#peers.known.map(([peer, points]) => ({ peer, ...points })) };
  }
}

const pointsIn = ({ points, at, refusedUntil }: Entry): Points => ({ points, at, refusedUntil });
