import { z } from 'zod';
import { PeerId } from '@mesh-registry/protocol/truth/truth.schema.ts';

/** Points at which a peer is refused: a peer that merely makes a mistake now and then never gets there. */
export const REFUSED_AT = 100;
/** One point is forgiven each time this many milliseconds pass. */
export const FORGIVEN_MS = 10_000;
/** How long a refusal lasts, milliseconds: long enough to make attacks slow, short enough for a mended program. */
export const REFUSAL_MS = 3_600_000;
/** Peers that are remembered. Keys cost nothing, so without a limit the memory would grow as an attacker likes. */
const PEERS_MAX = 5000;

const Entry = z.strictObject({
  peer: PeerId,
  points: z.number().min(0),
  /** When the points were counted, milliseconds since 1970. */
  at: z.number(),
  /** Milliseconds since 1970; null: not refused. */
  refusedUntil: z.number().nullable(),
});
type Entry = z.infer<typeof Entry>;

/** What is kept on disk: a list, of which each entry is checked by itself. */
const Stored = z.object({ peers: z.array(z.unknown()) });

/** How peers have behaved. Misbehaviour costs points, time forgives them, and {@link REFUSED_AT} refuse a peer for an hour. */
export class Conduct {
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  /** @param state what {@link Conduct.state} was before the restart; anything else counts as nothing */
  constructor({ now = Date.now, state }: { now?: () => number; state?: unknown } = {}) {
    this.#now = now;
    const stored = Stored.safeParse(state);
    const latest = now() + REFUSAL_MS;
    for (const value of stored.data?.peers.slice(0, PEERS_MAX) ?? []) {
      // The other entries count although this one is damaged.
      const { data: entry } = Entry.safeParse(value);
      if (!entry) continue;
      // If the clock was wrong when this was written, the peer would be refused for years.
      const refusedUntil = entry.refusedUntil && Math.min(entry.refusedUntil, latest);
      this.#entries.set(entry.peer, { ...entry, refusedUntil });
    }
  }

  /**
   * Notes misbehaviour of a peer that has proved its id.
   * @returns whether the peer has to go: it is refused from now on, or nothing more of it could be remembered
   */
  punish(peer: string, points: number): boolean {
    const now = this.#now();
    const before = this.#entries.get(peer);
    const sum = (before ? this.#pointsOf(before, now) : 0) + points;
    // Rounded, because a little is forgiven even between two faults in a row.
    const refused = Math.round(sum) >= REFUSED_AT || this.refusedUntil(peer) !== null;
    // The newest goes to the end, so that the first ones are the oldest.
    this.#entries.delete(peer);
    const isRoom = this.#entries.size < PEERS_MAX || this.#makeRoom(now);
    if (isRoom)
      this.#entries.set(peer, {
        peer,
        points: sum,
        at: now,
        refusedUntil: refused ? now + REFUSAL_MS : null,
      });
    return refused || !isRoom;
  }

  /** Until when a peer is refused, milliseconds since 1970; null: it is welcome. */
  refusedUntil(peer: string): number | null {
    const until = this.#entries.get(peer)?.refusedUntil ?? null;
    return until !== null && until > this.#now() ? until : null;
  }

  /** What is stored: refusals that hold, and points that are not forgiven yet. */
  get state(): { peers: Entry[] } {
    const now = this.#now();
    return { peers: [...this.#entries.values()].filter((entry) => this.#counts(entry, now)) };
  }

  #pointsOf({ points, at }: Entry, now: number): number {
    return Math.max(0, points - Math.max(0, now - at) / FORGIVEN_MS);
  }

  #counts(entry: Entry, now: number): boolean {
    return holds(entry, now) || this.#pointsOf(entry, now) > 0;
  }

  /**
   * Forgets whatever is forgiven; if that is nothing, the peer with the fewest points, the oldest of them.
   * @returns false if all are refused: an attacker must not get a refusal forgotten by having others refused
   */
  #makeRoom(now: number): boolean {
    let fewest: Entry | null = null;
    for (const entry of [...this.#entries.values()]) {
      if (!this.#counts(entry, now)) this.#entries.delete(entry.peer);
      else if (
        !holds(entry, now) &&
        (!fewest || this.#pointsOf(entry, now) < this.#pointsOf(fewest, now))
      )
        fewest = entry;
    }
    if (this.#entries.size < PEERS_MAX) return true;
    return fewest !== null && this.#entries.delete(fewest.peer);
  }
}

const holds = ({ refusedUntil }: Entry, now: number): boolean =>
  refusedUntil !== null && refusedUntil > now;
