import { isTried, type Entry } from '../records/record-table.ts';

/** At most so few anchors, because they are dialled before all others: an attacker who became one would stay for long. */
export const ANCHORS_MAX = 4;

/** An anchor that fails and was not reached for so long, milliseconds, gives its place to another peer. */
const LOST_MS = 86_400_000;

/**
 * The peers that are dialled first, also after a restart: the first ones that were reached, one in each network group.
 * They stay, so whoever comes later, with however many records, does not displace them.
 */
export class Anchors {
  #peers: readonly string[] = [];

  /** In the order in which they were reached. */
  get peers(): readonly string[] {
    return this.#peers;
  }

  restore(peers: readonly string[]): void {
    this.#peers = peers.slice(0, ANCHORS_MAX);
  }

  /** A peer was reached, and becomes an anchor if there is a place. @param find looks up the entry of an anchor */
  reached(entry: Entry, find: (peer: string) => Entry | undefined, now: number): void {
    const { peer } = entry.record;
    if (this.#peers.includes(peer) || !isTried(entry, now)) return;
    const kept = this.#peers.flatMap((anchor) => {
      const known = find(anchor);
      return known && (known.failures === 0 || now - (known.reachedAt ?? 0) < LOST_MS) ? known : [];
    });
    const isOther = kept.every((anchor) => networkOf(anchor) !== networkOf(entry));
    if (kept.length < ANCHORS_MAX && isOther)
      this.#peers = [...kept.map((anchor) => anchor.record.peer), peer];
  }

  remove(peer: string): void {
    this.#peers = this.#peers.filter((anchor) => anchor !== peer);
  }
}

/** The network in which a peer was reached: many names may lead to the same one. */
const networkOf = ({ network, reachedGroup }: Entry) => network ?? reachedGroup;
