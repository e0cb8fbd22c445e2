import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { countBy } from '../base/collections.ts';
import type { PeerRecord } from './peer-record.schema.ts';

/** How many records there are at most. They take a few megabytes, and a message brings 64: a small part of them. */
export const PEERS_MAX = 2000;
/** How many records of peers that were not reached one source can have. */
export const PER_SOURCE_MAX = 256;
/** How many peers that were not reached can claim addresses of one network group. */
export const PER_GROUP_MAX = 64;

/** A peer that was not reached for so long, milliseconds, counts as one that was never reached. */
const TRIED_MS = 30 * 86_400_000;

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

/**
 * The records, within bounds. Where there is no room, a record of the source that has the most of them leaves; a source
 * that has as many itself displaces none of another one. So whoever sends thousands of records mostly displaces their
 * own, and nobody displaces a peer that was reached.
 */
export class RecordTable {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  get(peer: string): Entry | undefined {
    return this.#entries.get(peer);
  }

  /** Oldest first. */
  values(): Entry[] {
    return [...this.#entries.values()];
  }

  delete(peer: string): void {
    this.#entries.delete(peer);
  }

  /**
   * Adds an entry, or replaces that of the same peer.
   * @returns false if there is no room for it; nothing has changed then
   */
  put(entry: Entry, now: number): boolean {
    const { peer } = entry.record;
    this.#dropExpired(now);
    // A peer that was reached takes nobody else's place: the caller bounds how many there are.
    const victims = isTried(entry, now) && this.#entries.has(peer) ? [] : this.#victims(entry, now);
    if (!victims) return false;
    for (const { record } of victims) this.#entries.delete(record.peer);
    this.#entries.set(peer, entry);
    return true;
  }

  /** Nobody else takes an expired record; but if its peer was reached, the addresses may still be right. */
  #dropExpired(now: number): void {
    for (const [peer, entry] of this.#entries)
      if (entry.expiresAt <= now && !isTried(entry, now)) this.#entries.delete(peer);
  }

  /** The entries that leave to make room. @returns null if there is no room for the newcomer */
  #victims(newcomer: Entry, now: number): Set<Entry> | null {
    const untried: Entry[] = [];
    const ofSource: Entry[] = [];
    const ofGroup = new Map(newcomer.groups.map((group) => [group, [] as Entry[]]));
    let tried = 0;
    for (const entry of this.#entries.values()) {
      if (entry.record.peer === newcomer.record.peer) continue;
      if (isTried(entry, now)) tried++;
      else {
        untried.push(entry);
        if (entry.source === newcomer.source) ofSource.push(entry);
        for (const group of entry.groups) ofGroup.get(group)?.push(entry);
      }
    }
    const victims = new Set<Entry>();
    /** @param max how many entries there may be, the newcomer included */
    const fits = (inScope: readonly Entry[], max: number): boolean => {
      if (inScope.length < max) return true;
      const staying = inScope.filter((entry) => !victims.has(entry));
      if (staying.length < max) return true;
      const victim = giveWay(staying, newcomer.source);
      if (victim) victims.add(victim);
      return victim !== null;
    };
    const isBounded =
      isTried(newcomer, now) ||
      (fits(ofSource, PER_SOURCE_MAX) &&
        [...ofGroup.values()].every((members) => fits(members, PER_GROUP_MAX)));
    return isBounded && fits(untried, PEERS_MAX - tried) ? victims : null;
  }
}

/**
 * Which of some entries makes room for one of a source: one of the source with the most, there the one that fails most,
 * then the one whose group has the most, then the oldest.
 * @returns null if no other source has more than the newcomer's, and none of its own fails
 */
function giveWay(entries: readonly Entry[], source: string): Entry | null {
  const bySource = countBy(entries.map((entry) => entry.source));
  const own = (bySource.get(source) ?? 0) + 1;
  const most = Math.max(...bySource.values());
  const crowded = entries.filter((entry) =>
    most > own
      ? bySource.get(entry.source) === most
      : entry.source === source && entry.failures > 0,
  );
  const byGroup = countBy(crowded.flatMap(({ groups }) => groups));
  const crowd = ({ groups }: Entry) =>
    Math.max(0, ...groups.map((group) => byGroup.get(group) ?? 0));
  return crowded.reduce<Entry | null>(
    (worst, entry) =>
      worst === null ||
      entry.failures > worst.failures ||
      (entry.failures === worst.failures && crowd(entry) > crowd(worst))
        ? entry
        : worst,
    null,
  );
}
