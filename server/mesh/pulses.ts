import type { PeerRow } from '#db/schema/index.ts';
import { peerStatus, shownClass, shownLabel, shownRegion } from './peer.ts';
import { cellOf, placeId, PULSES_MAX, type PulseTuple } from './places.schema.ts';

/** Joins kept of each second; the others count as heartbeats. */
const JOINS_MAX = 4;
/** How long a sample is kept, seconds: a client that is later than this misses some. */
const KEPT_S = 5;
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
}

/** A few of the heartbeats of each second, which the map animates. A large network has thousands. */
export class PulseSample {
  #seconds: Second[] = [];

  /** @param now ms */
  add(row: PeerRow, now: number): void {
    if (now - row.lastSeen.getTime() > NEWS_MS) return;
    const second = this.#second(Math.floor(now / 1000));
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
      const region = shownRegion(row);
      const id = placeId({ lat, lng, region });
      const cell = cellOf(peerStatus(row, to), shownClass(row));
      if (isJoin(row)) pulses.set(row.id, [lat, lng, region, cell, shownLabel(row)]);
      else if (!pulses.has(id)) pulses.set(id, [lat, lng, region, cell]);
    }
    return [...pulses.values()];
  }

  #second(second: number): Second {
    const last = this.#seconds.at(-1);
    if (last && last.second >= second) return last;
    const next = { second, joined: [], heard: [], count: 0 };
    this.#seconds = [...this.#seconds.filter((old) => old.second > second - KEPT_S), next];
    return next;
  }
}

const isJoin = ({ joinedAt, lastSeen }: PeerRow) => joinedAt.getTime() === lastSeen.getTime();
