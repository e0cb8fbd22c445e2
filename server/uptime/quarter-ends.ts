import type { ComputeRow, PeerRow } from '#db/schema/index.ts';
import type { LiveModel } from '#server/live/index.ts';
import { QuarterEnd } from './quarter-end.ts';

/** The nodes and the compute offers as they were at the end of the last quarter. */
export class QuarterEnds {
  readonly nodes;
  readonly offers;

  constructor(live: LiveModel, clock: () => number) {
    this.nodes = new QuarterEnd({
      table: live.peers,
      clock,
      since: ({ joinedAt }: PeerRow) => joinedAt,
      stateOf: ({ status, lastSeen }: PeerRow) => ({ status, lastSeen }),
    });
    this.offers = new QuarterEnd({
      table: live.computes,
      clock,
      since: ({ firstSeen }: ComputeRow) => firstSeen,
      stateOf: ({ lastSeen }: ComputeRow) => ({ lastSeen }),
    });
  }

  /** Call once everything has been loaded. */
  loaded(): void {
    this.nodes.loaded();
    this.offers.loaded();
  }

  /** Call before everything is loaded again: heartbeats may have been missed. */
  reloading(): void {
    this.nodes.reloading();
    this.offers.reloading();
  }

  /** The end of the last quarter at `now` (ms). */
  at(now: number): number {
    this.offers.at(now);
    return this.nodes.at(now);
  }

  /** Whether it is known how everything was at this end of a quarter (ms). */
  knows(end: number): boolean {
    return this.nodes.knows(end) && this.offers.knows(end);
  }

  /** Forgets the end of the last quarter: it has been recorded. */
  release(end: number): void {
    this.nodes.release(end);
    this.offers.release(end);
  }
}
