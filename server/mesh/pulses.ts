import type { PeerRow } from '#db/schema/index.ts';
import { peerStatus, shownClass, shownLabel, shownRegion } from './peer.ts';
import { cellOf, placeId, PULSES_MAX, type PulseTuple } from './places.schema.ts';

/** Joins kept of each second; the others count as heartbeats. */
const JOINS_MAX = 4;
/** How long a sample is kept, seconds: a client that is later than this misses some. */
const KEPT_S = 5;
/** For how many seconds heartbeats are counted, one number each. */
const BEATS_S = 60;
/** A change that covers more than this doesn't say how many heartbeats a second had, milliseconds. */
const SECOND_MAX_MS = 2500;
/** A heartbeat that was received longer ago than this is no news, milliseconds. Other servers' arrive late. */
const NEWS_MS = 5000;

interface Sample {
  row: PeerRow;
  /** When this server learnt of it, ms. */
  at: number;
}

interface Second {
  second: number;
  joined: Sample[];
  heard: Sample[];
  /** How many heartbeats `heard` stands for. */
  count: number;
  /** How many heartbeats this server learnt of, by the moment (ms). */
  beats: Map<number, number>;
}

/** A few of the heartbeats of each second, which the map animates. A large network has thousands. */
export class PulseSample {
  #seconds: Second[] = [];
  /** All heartbeats by the second in which they were received, whichever server received them. */
  readonly #beats = new Map<number, number>();

  /**
   * @param startedAt the first moment that is counted, ms
   * @param grid the coordinate grid, degrees
   */
  constructor(
    private readonly startedAt: number,
    private readonly grid: number,
  ) {}

  /** @param now ms */
  add(row: PeerRow, now: number): void {
    if (now - row.lastSeen.getTime() > NEWS_MS) return;
    const second = this.#second(Math.floor(now / 1000));
    second.beats.set(now, (second.beats.get(now) ?? 0) + 1);
    this.#countBeat(Math.floor(row.lastSeen.getTime() / 1000));
    if (isJoin(row) && second.joined.length < JOINS_MAX) {
      second.joined.push({ row, at: now });
      return;
    }
    // Each heartbeat of the second is as likely as any other to be in the sample.
    const slot = Math.floor(Math.random() * ++second.count);
    if (second.heard.length < PULSES_MAX) second.heard.push({ row, at: now });
    else if (slot < PULSES_MAX) second.heard[slot] = { row, at: now };
  }

  /**
   * Heartbeats that this server learnt of after `from` and until `to` (ms), one for each place, those of new nodes
   * first: at most {@link PULSES_MAX}.
   */
  between(from: number, to: number): PulseTuple[] {
    const pulses = new Map<string, PulseTuple>();
    const samples = [
      ...this.#seconds.flatMap(({ joined }) => joined),
      ...this.#seconds.flatMap(({ heard }) => heard).reverse(),
    ];
    for (const { row, at } of samples) {
      if (pulses.size === PULSES_MAX) break;
      if (at <= from || at > to) continue;
      const { lat, lng } = row;
      const region = shownRegion(row, this.grid);
      const id = placeId({ lat, lng, region });
      const cell = cellOf(peerStatus(row, to), shownClass(row));
      if (isJoin(row)) pulses.set(row.id, [lat, lng, region, cell, shownLabel(row)]);
      else if (!pulses.has(id)) pulses.set(id, [lat, lng, region, cell]);
    }
    return [...pulses.values()];
  }

  /**
   * How many heartbeats this server learnt of after `from` and until `to` (ms), about a second later; null where that
   * is longer, so that a client which was away doesn't take them for those of a second.
   */
  beatsBetween(from: number, to: number): number | null {
    if (to - from > SECOND_MAX_MS) return null;
    let sum = 0;
    for (const { beats } of this.#seconds)
      for (const [at, count] of beats) if (at > from && at <= to) sum += count;
    return sum;
  }

  /** Heartbeats of each of the last whole seconds before `now` (ms), oldest first: at most {@link BEATS_S}. */
  lastBeats(now: number): number[] {
    const end = Math.floor(now / 1000);
    const first = Math.max(end - BEATS_S, Math.ceil(this.startedAt / 1000));
    return Array.from(
      { length: Math.max(0, end - first) },
      (_, n) => this.#beats.get(first + n) ?? 0,
    );
  }

  #countBeat(second: number): void {
    const known = this.#beats.get(second);
    this.#beats.set(second, (known ?? 0) + 1);
    if (known === undefined)
      for (const old of this.#beats.keys())
        if (old < second - BEATS_S - KEPT_S) this.#beats.delete(old);
  }

  #second(second: number): Second {
    const last = this.#seconds.at(-1);
    if (last && last.second >= second) return last;
    const next = { second, joined: [], heard: [], count: 0, beats: new Map<number, number>() };
    this.#seconds = [...this.#seconds.filter((old) => old.second > second - KEPT_S), next];
    return next;
  }
}

const isJoin = ({ joinedAt, lastSeen }: PeerRow) => joinedAt.getTime() === lastSeen.getTime();
