import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { join, leave } from '../base/collections.ts';
import type { PeerRecord } from './peer-record.schema.ts';

/** How many records there are at most. They take a few megabytes, and a message brings 64: a small part of them. */
export const PEERS_MAX = 2000;
/** How many records of peers that were not reached one source can have. */
export const PER_SOURCE_MAX = 256;
/** How many peers that were not reached can claim addresses of one network group. */
export const PER_GROUP_MAX = 64;

/** A peer that was not reached for so long, milliseconds, counts as one that was never reached. */
const TRIED_MS = 30 * 86_400_000;
/** How often the table looks for what time has changed, milliseconds: that needs a look at all entries. */
const SWEEP_MS = 60_000;

/** A peer of which there is a record. Moments are milliseconds since 1970. */
export interface Entry {
  envelope: DsseEnvelope;
  record: PeerRecord;
  expiresAt: number;
  /** The network groups of its addresses. */
  groups: readonly string[];
  /** The source that brought it first. */
  source: string;
  /** The last outbound session, and the group of the address that worked; null: none yet, or unknown. */
  reachedAt: number | null;
  reachedGroup: string | null;
  /** The group of that session's remote address, which a name has led to; null: unknown. */
  network: string | null;
  /** The group at which it was dialled last. */
  dialledGroup: string | null;
  /** Dials that failed since it was reached. */
  failures: number;
  nextDialAt: number;
}

/** Whether a peer was reached within the last 30 days. Of any other peer there is only what somebody claims. */
export const isTried = ({ reachedAt }: Entry, now: number): boolean =>
  reachedAt !== null && now - reachedAt < TRIED_MS;

/** Entries by a name that they share, such as their source. */
type Crowds = Map<string, Set<Entry>>;

const NOBODY: ReadonlySet<Entry> = new Set();

/**
 * The records, within bounds. Where there is no room, a record of the source that has the most of them leaves; a source
 * that has as many itself displaces none of another one. So whoever sends thousands of records mostly displaces their
 * own, and nobody displaces a peer that was reached. How many there are of each source and group is kept with every
 * change: a record costs the same in a full table as in an empty one.
 */
export class RecordTable {
  readonly #entries = new Map<string, Entry>();
  /** Of the peers that were not reached: who counts for the bounds. */
  readonly #bySource: Crowds = new Map();
  readonly #byGroup: Crowds = new Map();
  #sweptAt = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(peer: string): Entry | undefined {
    return this.#entries.get(peer);
  }

  /** The one that was renewed longest ago comes first. */
  values(): Entry[] {
    return [...this.#entries.values()];
  }

  delete(peer: string): void {
    const entry = this.#entries.get(peer);
    if (!entry) return;
    this.#entries.delete(peer);
    this.#uncount(entry);
  }

  /**
   * Adds an entry, or replaces that of the same peer.
   * @param room what {@link RecordTable.roomFor} has answered, if nothing has changed since
   * @returns false if there is no room for it; nothing has changed then
   */
  put(entry: Entry, now: number, room = this.roomFor(entry, now)): boolean {
    if (!room) return false;
    const { peer } = entry.record;
    for (const { record } of room) this.delete(record.peer);
    this.delete(peer);
    this.#entries.set(peer, entry);
    this.#count(entry, now);
    return true;
  }

  /** Notes when a peer was reached; null: that counts no longer. */
  reached(entry: Entry, at: number | null, now: number): void {
    this.#uncount(entry);
    entry.reachedAt = at;
    this.#count(entry, now);
  }

  /** The entries that would leave to make room for another one. @returns null if there is no room for it */
  roomFor(newcomer: Entry, now: number): ReadonlySet<Entry> | null {
    this.#sweep(now);
    const before = this.#entries.get(newcomer.record.peer);
    const leaving = new Set<Entry>();
    // A peer that was reached takes nobody else's place: the caller bounds how many there are.
    if (isTried(newcomer, now)) {
      if (before) return leaving;
    } else if (!this.#fits(newcomer, before, leaving)) return null;
    if (this.#entries.size - leaving.size < PEERS_MAX || before) return leaving;
    const victim = this.#giveWay(this.#bySource, newcomer.source);
    return victim && leaving.add(victim);
  }

  /** Whether there is room in its source and groups, once some entries leave, which are added to `leaving`. */
  #fits(newcomer: Entry, before: Entry | undefined, leaving: Set<Entry>): boolean {
    const { source, groups } = newcomer;
    const scopes = [
      { members: this.#bySource.get(source), max: PER_SOURCE_MAX },
      ...groups.map((group) => ({ members: this.#byGroup.get(group), max: PER_GROUP_MAX })),
    ];
    return scopes.every(({ members, max }) => {
      if (!members || members.size < max) return true;
      const staying = [...members].filter((entry) => entry !== before && !leaving.has(entry));
      if (staying.length < max) return true;
      const bySource: Crowds = new Map();
      for (const entry of staying) join(bySource, entry.source, entry);
      const victim = this.#giveWay(bySource, source);
      if (victim) leaving.add(victim);
      return victim !== null;
    });
  }

  /**
   * Which of some entries makes room for one of a source: one of the source with the most, there the one that fails most,
   * then the one whose group has the most, then the oldest.
   * @returns null if no other source has more than the newcomer's, and none of its own fails
   */
  #giveWay(bySource: Crowds, source: string): Entry | null {
    const own = bySource.get(source) ?? NOBODY;
    let largest = own;
    for (const members of bySource.values()) if (members.size > largest.size) largest = members;
    const isOwn = largest.size <= own.size + 1;
    let worst: { entry: Entry; crowd: number } | null = null;
    for (const entry of isOwn ? own : largest) {
      if (entry.failures < (worst?.entry.failures ?? (isOwn ? 1 : 0))) continue;
      const crowd = this.#crowdOf(entry);
      if (!worst || entry.failures > worst.entry.failures || crowd > worst.crowd)
        worst = { entry, crowd };
    }
    return worst?.entry ?? null;
  }

  #crowdOf({ groups }: Entry): number {
    let most = 0;
    for (const group of groups) most = Math.max(most, this.#byGroup.get(group)?.size ?? 0);
    return most;
  }

  #count(entry: Entry, now: number): void {
    if (isTried(entry, now)) return;
    join(this.#bySource, entry.source, entry);
    for (const group of entry.groups) join(this.#byGroup, group, entry);
  }

  #uncount(entry: Entry): void {
    leave(this.#bySource, entry.source, entry);
    for (const group of entry.groups) leave(this.#byGroup, group, entry);
  }

  /**
   * Nobody else takes an expired record; but if its peer was reached, the addresses may still be right. Who was reached
   * too long ago counts as the others again.
   */
  #sweep(now: number): void {
    // The clock may have been set back.
    if (Math.abs(now - this.#sweptAt) < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [peer, entry] of this.#entries) {
      if (isTried(entry, now)) continue;
      if (entry.expiresAt <= now) this.delete(peer);
      else this.reached(entry, entry.reachedAt, now);
    }
  }
}
