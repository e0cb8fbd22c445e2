import { z } from 'zod';
import { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { addressGroup, addressGroups } from '../addresses/address-group.ts';
import { LIMITS } from '../base/limits.ts';
import {
  checkClaim,
  openRecord,
  readClaim,
  RecordError,
  requireOwnSignature,
} from '../records/peer-record.ts';
import type { PeerRecord } from '../records/peer-record.schema.ts';
import { drawing, type Random } from '../base/collections.ts';
import { isTried, RecordTable, type Entry } from '../records/record-table.ts';
import { PeerId, Time } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Anchors, ANCHORS_MAX } from './anchors.ts';
import { chooseDials, type Dial } from './dial-choice.ts';

/** Clocks may differ by this much from the subject's to the carrier's, and from there to here: milliseconds. */
const SKEW_MS = 2 * LIMITS.clockSkewMs;
/** The wait after the first failed dial, and the longest one, milliseconds. Between them it doubles each time. */
const BACKOFF_MS = 2000;
const BACKOFF_MAX_MS = 3_600_000;
/** The longest wait while nobody at all is connected: then it is rather our own line that has failed than each peer. */
const ALONE_BACKOFF_MAX_MS = 30_000;
/** A peer whose last dials have failed so many times in a row is not recommended to others. */
const DOUBTFUL = 3;

export interface AddressBookOptions {
  network: string;
  /** The peer that owns the book: its own record is not stored. */
  self: string;
  /** Whether a peer is banned, or refused for its conduct. It is not stored, dialled or passed on. */
  isRefused: (peer: string) => boolean;
  /**
   * Whether addresses of this machine and of private networks count; by default not. Where peers meet in public, anybody
   * could claim any number of them, and have others dial what is near them.
   */
  privateAddresses?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
  random?: Random;
  /** What {@link AddressBook.state} was before the restart; anything else counts as nothing. */
  state?: unknown;
}

/** Whom not to dial. */
export interface Occupied {
  connected: ReadonlySet<string>;
  dialing: ReadonlySet<string>;
  /**
   * Network groups of the outbound sessions and of the dials under way: the group of each candidate, and with a DNS name
   * also that of the address it led to.
   */
  groups: ReadonlySet<string>;
}

/** A peer to dial, at its addresses in one network group; each ends with `/p2p/` and its id. */
export interface Candidate extends Dial {
  addrs: string[];
}

/** The peers of which there is a signed record: whom to dial, and whom to tell others of. */
export class AddressBook {
  readonly #options: Required<Omit<AddressBookOptions, 'state'>>;
  readonly #table = new RecordTable();
  readonly #anchors = new Anchors();

  constructor({ state, ...options }: AddressBookOptions) {
    this.#options = { privateAddresses: false, now: Date.now, random: Math.random, ...options };
    this.#restore(state);
  }

  /** Peers in the book, at most 2,000. */
  get size(): number {
    return this.#table.size;
  }

  has(peer: string): boolean {
    return this.#table.get(peer) !== undefined;
  }

  /**
   * Takes a record that another peer has sent. What costs least is checked first, and its signature last: only of a record
   * that is newer than the one that is known, and for which there is room.
   * @param source the network group of the session that brought it. Not the peer's id, because anybody can have as many
   * ids as they like
   * @param claim what it says, if that was read already
   * @returns `ignored` if it tells nothing new, has expired, is of no use here, or there is no room
   * @throws RecordError if the source should not have passed it on
   */
  take(
    envelope: DsseEnvelope,
    source: string,
    claim = readClaim(envelope),
  ): 'new' | 'newer' | 'ignored' {
    const { network, self, isRefused } = this.#options;
    if (this.knows(claim)) return 'ignored';
    const record = checkClaim(claim);
    if (record.peer === self || isRefused(record.peer)) return 'ignored';
    if (record.network !== network)
      throw new RecordError('network', `The peer record is of the network ${record.network}.`);
    const now = this.#options.now();
    const left = Date.parse(record.expires) - now;
    if (left <= 0 || left > LIMITS.recordMs + SKEW_MS) return 'ignored';
    const known = this.#table.get(record.peer);
    const entry = this.#entry(envelope, record, known?.source ?? source, known);
    if (entry.groups.length === 0) return 'ignored';
    const room = this.#table.roomFor(entry, now);
    if (!room) return 'ignored';
    requireOwnSignature(envelope, record);
    this.#table.put(entry, now, room);
    return known ? 'newer' : 'new';
  }

  /** Whether a record claims to tell nothing new of its subject. Most do, and cost little more than reading them. */
  knows(claim: unknown): boolean {
    const { peer, seq } = (claim ?? {}) as { peer?: unknown; seq?: unknown };
    // Nothing has checked them yet: what is no text or number is not made one, which could throw.
    if (typeof peer !== 'string' || typeof seq !== 'number') return false;
    const known = this.#table.get(peer);
    return known !== undefined && seq <= known.record.seq;
  }

  /** Records to pass on, drawn at random. @param except the peer who gets them */
  sample(count: number, except: string): DsseEnvelope[] {
    const now = this.#options.now();
    const sample: DsseEnvelope[] = [];
    for (const entry of drawing(this.#table.values(), this.#options.random)) {
      if (sample.length >= count) break;
      const { record, expiresAt, failures, envelope } = entry;
      const isGood =
        record.peer !== except &&
        expiresAt > now &&
        failures < DOUBTFUL &&
        !this.#options.isRefused(record.peer);
      if (isGood) sample.push(envelope);
    }
    return sample;
  }

  /** Whom to dial now, at most `count` of them and one of each network group: see {@link chooseDials}. */
  candidates(count: number, { connected, dialing, groups }: Occupied): Candidate[] {
    const { now, random, isRefused } = this.#options;
    const moment = now();
    const free = this.#table.values().filter(({ record: { peer }, nextDialAt }) => {
      return nextDialAt <= moment && !connected.has(peer) && !dialing.has(peer) && !isRefused(peer);
    });
    const dialable = free.map((entry) => ({
      peer: entry.record.peer,
      // The group in which it was reached before comes first, as long as that works.
      groups:
        entry.reachedGroup !== null && entry.failures === 0 ? [entry.reachedGroup] : entry.groups,
      tried: isTried(entry, moment),
    }));
    return chooseDials(count, dialable, this.#anchors.peers, new Set(groups), random).map(
      (dial) => {
        const entry = this.#table.get(dial.peer);
        if (entry) entry.dialledGroup = dial.group;
        return { ...dial, addrs: entry ? addressesIn(entry.record, dial.group) : [] };
      },
    );
  }

  /** The group at which a peer was dialled last. A name in it may have led to another one. */
  dialledGroup(peer: string): string | null {
    return this.#table.get(peer)?.dialledGroup ?? null;
  }

  /** An outbound session was made. @param network the group of its remote address; null: unknown */
  succeeded(peer: string, network: string | null = null): void {
    const entry = this.#table.get(peer);
    if (!entry) return;
    const now = this.#options.now();
    Object.assign(entry, { failures: 0, nextDialAt: 0 });
    if (!isTried(entry, now) && !this.#hasRoomForTried(now)) return;
    this.#table.reached(entry, now, now);
    entry.reachedGroup = entry.dialledGroup ?? entry.reachedGroup;
    if (entry.groups.length === 1) entry.reachedGroup = entry.groups[0] ?? null;
    entry.network = network ?? entry.network;
    this.#anchors.reached(entry, (anchor) => this.#table.get(anchor), now);
  }

  /** A peer with a session counts as reached for as long as the session lasts. */
  lasting(peers: Iterable<string>): void {
    const now = this.#options.now();
    for (const peer of peers) {
      const entry = this.#table.get(peer);
      if (entry && entry.reachedAt !== null) this.#table.reached(entry, now, now);
    }
  }

  /**
   * A dial has failed: the next one waits, twice as long each time, up to an hour.
   * @param aloneMs for how long nobody at all has been connected; null: somebody is, or has refused us. Alone, it waits as
   * long again, up to 30 s, and counts as one failed dial, however many there are
   */
  failed(peer: string, aloneMs: number | null = null): void {
    const entry = this.#table.get(peer);
    if (!entry) return;
    const wait =
      aloneMs === null
        ? Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(entry.failures, 30))
        : Math.min(ALONE_BACKOFF_MAX_MS, Math.max(BACKOFF_MS, aloneMs));
    // The first one counts: it may be reached at another address.
    if (aloneMs === null || entry.failures === 0) entry.failures++;
    // The wait is drawn from its second half, so that peers that failed together do not return together.
    entry.nextDialAt = this.#options.now() + wait * (0.5 + this.#options.random() / 2);
  }

  /** Forgets a peer, such as a banned one. */
  remove(peer: string): void {
    this.#table.delete(peer);
    this.#anchors.remove(peer);
  }

  /** The part that is stored on disk. */
  get state(): BookState {
    const now = this.#options.now();
    const peers = this.#table.values().flatMap((entry) => {
      const { envelope, reachedAt, reachedGroup, network } = entry;
      if (reachedAt === null || !isTried(entry, now)) return [];
      const reached = new Date(reachedAt).toISOString();
      return { record: envelope, reachedAt: reached, reachedGroup, network };
    });
    return { anchors: [...this.#anchors.peers], peers };
  }

  #restore(stored: unknown): void {
    const state = BookState.safeParse(stored);
    if (!state.success) return;
    const { network, self, now } = this.#options;
    for (const { record: envelope, reachedAt, reachedGroup, network: at } of state.data.peers) {
      const record = openOwn(envelope);
      if (record?.network !== network || record.peer === self) continue;
      const entry = this.#entry(envelope, record, 'disk');
      // The clock may have been set back since.
      const reached = {
        reachedAt: Math.min(Date.parse(reachedAt), now()),
        reachedGroup,
        network: at,
      };
      const known = { ...entry, ...reached };
      if (entry.groups.length > 0 && isTried(known, now())) this.#table.put(known, now());
    }
    this.#anchors.restore(state.data.anchors.filter((peer) => this.has(peer)));
  }

  #entry(envelope: DsseEnvelope, record: PeerRecord, source: string, before?: Entry): Entry {
    const { privateAddresses } = this.#options;
    const groups = addressGroups(record.addrs, privateAddresses);
    // A peer that was reached in one network has shown nothing about another one.
    const reached = before?.reachedGroup ?? null;
    const moved = reached !== null && !groups.includes(reached);
    return {
      envelope,
      record,
      expiresAt: Date.parse(record.expires),
      groups,
      source,
      reachedAt: moved ? null : (before?.reachedAt ?? null),
      reachedGroup: moved ? null : reached,
      network: moved ? null : (before?.network ?? null),
      dialledGroup: before?.dialledGroup ?? null,
      // A new record does not shorten the wait: whoever signs records could otherwise have an address dialled all the time.
      failures: before?.failures ?? 0,
      nextDialAt: before?.nextDialAt ?? 0,
    };
  }

  /** Half of the book at most; a peer that fails gives way, and then the newcomer has to be reached again. */
  #hasRoomForTried(now: number): boolean {
    const tried = this.#table.values().filter((entry) => isTried(entry, now));
    if (tried.length < TRIED_MAX) return true;
    const worst = tried.reduce((one, other) => (other.failures > one.failures ? other : one));
    if (worst.failures >= DOUBTFUL) this.#table.reached(worst, null, now);
    return worst.reachedAt === null;
  }
}

function addressesIn({ peer, addrs }: PeerRecord, group: string): string[] {
  return addrs
    .filter((addr) => addressGroup(addr) === group)
    .map((addr) => (addr.endsWith(`/p2p/${peer}`) ? addr : `${addr}/p2p/${peer}`));
}

function openOwn(envelope: DsseEnvelope): PeerRecord | null {
  try {
    return openRecord(envelope);
  } catch (error) {
    if (error instanceof RecordError) return null;
    throw error;
  }
}

/** Peers in the book that were reached, at most: half of it. */
export const TRIED_MAX = 1000;

/** What is kept on disk: the peers that were reached. */
export const BookState = z.strictObject({
  anchors: z.array(PeerId).max(ANCHORS_MAX),
  peers: z
    .array(
      z.strictObject({
        record: DsseEnvelope,
        reachedAt: Time,
        /** The group of the address that worked; null: unknown. */
        reachedGroup: z.string().max(128).nullable(),
        /** The group of the address to which a name in the record led; null: unknown. */
        network: z.string().max(128).nullable().default(null),
      }),
    )
    .max(TRIED_MAX),
});
export type BookState = z.infer<typeof BookState>;
