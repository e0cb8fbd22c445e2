import type { ComputeRow, PeerRow } from '#db/schema/index.ts';
import type { LiveModel, LiveTable } from '#server/live/index.ts';
import { QUARTER_MS, quarterOf } from './quarters.ts';

/** A node or a compute offer. */
interface HeardRow {
  id: string;
  rev: number;
  lastSeen: Date;
}

interface QuarterEndParts<Row extends HeardRow, State> {
  live: LiveModel;
  table: LiveTable<Row>;
  clock: () => number;
  /** When the row was first heard of. */
  since: (row: Row) => Date;
  /** What of a row counts at the end of a quarter. */
  stateOf: (row: Row) => State;
}

/** Heartbeats of a server whose clock differs slightly may be of a quarter that has not begun here, milliseconds. */
const CLOCK_SLACK_MS = 5000;
/** How long everything is loaded again after a fail-over, at most, milliseconds. */
const RELOAD_MS = 60_000;

/**
 * The rows of a table as they were at the end of the last quarter, however late it is recorded: heartbeats and
 * announcements of the next quarter overwrite `lastSeen`, so what they overwrite is kept here until the quarter is
 * recorded.
 */
class QuarterEnd<Row extends HeardRow, State extends { lastSeen: Date }> {
  /** The end of the last quarter, ms. */
  #end: number;
  /** Rows heard of since then, as they were before. */
  #before = new Map<string, State>();
  #released = false;
  /** Since when (ms) no heartbeat was missed; earlier ones may have been overwritten by later ones. */
  #completeSince = Infinity;
  /** Newest heartbeat in the database when everything was loaded, ms. */
  #newestLoaded = -Infinity;

  constructor(private readonly parts: QuarterEndParts<Row, State>) {
    this.#end = quarterOf(parts.clock());
    parts.table.follow({
      changed: (row, before) => this.#changed(row, before),
      removed: ({ id }) => this.#before.delete(id),
    });
    parts.live.loaded.on(() => (this.#completeSince = parts.clock()));
    parts.live.reloading.on(() => {
      this.#completeSince = parts.clock() + RELOAD_MS;
      this.#newestLoaded = Infinity;
    });
  }

  /** The end of the last quarter at `now` (ms). */
  at(now: number): number {
    this.#advance(quarterOf(now));
    return this.#end;
  }

  /** Whether it is known how all rows were at this end of a quarter (ms). */
  knows(end: number): boolean {
    return (
      end === this.#end &&
      !this.#released &&
      (this.#completeSince <= end || this.#newestLoaded < end)
    );
  }

  /** Every row that was there by the end of the last quarter, with its state then. */
  *rows(): IterableIterator<{ row: Row; state: State }> {
    const end = this.#end;
    const { table, since, stateOf } = this.parts;
    for (const row of table.rows())
      if (since(row).getTime() < end) {
        const before = row.lastSeen.getTime() < end ? undefined : this.#before.get(row.id);
        yield { row, state: before ?? stateOf(row) };
      }
  }

  /** Forgets the end of the last quarter: it has been recorded. */
  release(end: number): void {
    if (end !== this.#end) return;
    this.#released = true;
    this.#before = new Map();
  }

  #changed(row: Row, before: Row | undefined): void {
    const seen = row.lastSeen.getTime();
    if (this.#completeSince === Infinity) {
      if (seen > this.#newestLoaded) this.#newestLoaded = seen;
      return;
    }
    if (seen >= this.#end + QUARTER_MS)
      this.#advance(quarterOf(Math.min(seen, this.parts.clock() + CLOCK_SLACK_MS)));
    if (this.#released || seen < this.#end || !before) return;
    if (before.lastSeen.getTime() < this.#end) this.#before.set(row.id, this.parts.stateOf(before));
  }

  #advance(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    this.#before = new Map();
    this.#released = false;
  }
}

/** The nodes and the compute offers as they were at the end of the last quarter. */
export class QuarterEnds {
  readonly nodes;
  readonly offers;

  constructor(live: LiveModel, clock: () => number) {
    this.nodes = new QuarterEnd({
      live,
      table: live.peers,
      clock,
      since: ({ joinedAt }: PeerRow) => joinedAt,
      stateOf: ({ status, lastSeen }: PeerRow) => ({ status, lastSeen }),
    });
    this.offers = new QuarterEnd({
      live,
      table: live.computes,
      clock,
      since: ({ firstSeen }: ComputeRow) => firstSeen,
      stateOf: ({ lastSeen }: ComputeRow) => ({ lastSeen }),
    });
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
