import type { PeerRow } from '#db/schema.ts';
import type { LiveModel } from '#server/live/index.ts';
import { QUARTER_MS, quarterOf } from './quarters.ts';

/** What of a node counts at the end of a quarter. */
export type NodeState = Pick<PeerRow, 'status' | 'lastSeen'>;

/** Heartbeats of a server whose clock differs slightly may be of a quarter that has not begun here, milliseconds. */
const CLOCK_SLACK_MS = 5000;
/** How long everything is loaded again after a fail-over, at most, milliseconds. */
const RELOAD_MS = 60_000;

/**
 * The nodes as they were at the end of the last quarter, however late it is recorded: heartbeats of the next quarter
 * overwrite `lastSeen`, so what they overwrite is kept here until the quarter is recorded.
 */
export class QuarterEnd {
  /** The end of the last quarter, ms. */
  #end: number;
  /** Nodes heard of since then, as they were before. */
  #before = new Map<string, NodeState>();
  #released = false;
  /** From when on (ms) no heartbeat was missed; those before it may have been overwritten by later ones. */
  #completeSince = Infinity;
  /** Newest heartbeat in the database when everything was loaded, ms. */
  #newestLoaded = -Infinity;

  constructor(
    private readonly live: LiveModel,
    private readonly clock: () => number,
  ) {
    this.#end = quarterOf(clock());
    live.peers.follow({
      changed: (row, before) => this.#changed(row, before),
      removed: ({ id }) => this.#before.delete(id),
    });
  }

  /** Call once everything has been loaded. */
  loaded(): void {
    this.#completeSince = this.clock();
  }

  /** Call before everything is loaded again: heartbeats may have been missed. */
  reloading(): void {
    this.#completeSince = this.clock() + RELOAD_MS;
    this.#newestLoaded = Infinity;
  }

  /** The end of the last quarter at `now` (ms). */
  at(now: number): number {
    this.#advance(quarterOf(now));
    return this.#end;
  }

  /** Whether it is known how all nodes were at this end of a quarter (ms). */
  knows(end: number): boolean {
    return (
      end === this.#end &&
      !this.#released &&
      (this.#completeSince <= end || this.#newestLoaded < end)
    );
  }

  /** Every node that had joined by the end of the last quarter, with its state then. */
  *nodes(): IterableIterator<{ row: PeerRow; state: NodeState }> {
    const end = this.#end;
    for (const row of this.live.peers.rows())
      if (row.joinedAt.getTime() < end)
        yield {
          row,
          state: row.lastSeen.getTime() < end ? row : (this.#before.get(row.id) ?? row),
        };
  }

  /** Forgets the end of the last quarter: it has been recorded. */
  release(end: number): void {
    if (end !== this.#end) return;
    this.#released = true;
    this.#before = new Map();
  }

  #changed(row: PeerRow, before: PeerRow | undefined): void {
    const seen = row.lastSeen.getTime();
    if (this.#completeSince === Infinity) {
      if (seen > this.#newestLoaded) this.#newestLoaded = seen;
      return;
    }
    if (seen >= this.#end + QUARTER_MS)
      this.#advance(quarterOf(Math.min(seen, this.clock() + CLOCK_SLACK_MS)));
    if (this.#released || seen < this.#end || !before) return;
    const { lastSeen, status } = before;
    if (lastSeen.getTime() < this.#end) this.#before.set(row.id, { lastSeen, status });
  }

  #advance(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    this.#before = new Map();
    this.#released = false;
  }
}
