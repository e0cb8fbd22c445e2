import type { LiveTable, VersionedRow } from './live-table.ts';
import type { ServiceContext } from '#server/common/context.ts';

/**
 * Event streams over the read model: what changed, once a second at most.
 *
 * An event's id is a position: which process, which version of the table, which moment. A client that
 * comes back with it gets every row that changed since, in its present state; nothing is lost however
 * long it was away, because no log is kept that could end. An id of another process (or of an earlier
 * life of this one) gets a snapshot.
 */

export interface Change<Head, Row> {
  /** Hand it back as `lastEventId` to go on from here. */
  id: string;
  /** `snapshot`: the rows are all there are. `changes`: the rows that changed. */
  type: 'snapshot' | 'changes';
  head: Head;
  rows: Row[];
  /** Ids of rows that were in the list and no longer are. */
  removed: string[];
}

interface Position {
  version: number;
  /** ms */
  at: number;
  /** What else the head shows. */
  rest: string;
}

export interface ChangeSource<Row extends VersionedRow, Head, Out> {
  table: LiveTable<Row>;
  /** Everything that `head` depends on, other than the table and the time. */
  rest(): string;
  head(now: number): Head;
  /** True where the row looks other at `now` than it did at `then`, by the passing of time alone. */
  aged(row: Row, then: number, now: number): boolean;
  /** The row as the list shows it, or null where the list does not (or no longer) show it. */
  present(row: Row, now: number): Out | null;
  /** Whether a row that is not shown was ever shown: only such a row is told as removed. */
  wasShown?(row: Row): boolean;
}

export class ChangeStream<Row extends VersionedRow, Head, Out> {
  /** Streams that are level with each other ask the same: it is worked out once. */
  #last: { key: string; change: Change<Head, Out> | null } | undefined;

  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'serverId' | 'ticker'>,
    private readonly source: ChangeSource<Row, Head, Out>,
  ) {}

  /** Where the stream is now: what follows from here is everything that an answer made later does not show. */
  cursor(): string {
    return this.#format(this.#position(this.context.clock()));
  }

  /** Ends when `signal` aborts or the server stops. */
  async *follow(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Change<Head, Out>> {
    let position = this.#parse(lastEventId);
    if (!position) {
      const now = this.context.clock();
      position = this.#position(now);
      yield {
        id: this.#format(position),
        type: 'snapshot',
        head: this.source.head(now),
        ...this.#present([...this.source.table.rows()], now),
        removed: [],
      };
    }
    for (;;) {
      const now = await this.context.ticker.next(signal);
      if (now === null) return;
      const to = this.#position(now);
      const change = this.#between(position, to);
      if (change) yield change;
      position = to;
    }
  }

  #between(from: Position, to: Position): Change<Head, Out> | null {
    const key = `${this.#format(from)} ${this.#format(to)}`;
    if (this.#last?.key !== key) this.#last = { key, change: this.#find(from, to) };
    return this.#last.change;
  }

  #find(from: Position, to: Position): Change<Head, Out> | null {
    const rows = this.source.table.changedSince(
      from.version,
      (row, changed) => changed || this.source.aged(row, from.at, to.at),
    );
    const shown = this.#present(rows, to.at);
    if (shown.rows.length + shown.removed.length === 0 && from.rest === to.rest) return null;
    return {
      id: this.#format(to),
      type: 'changes',
      head: this.source.head(to.at),
      ...shown,
    };
  }

  #present(rows: Row[], now: number): { rows: Out[]; removed: string[] } {
    const shown: Out[] = [];
    const removed: string[] = [];
    for (const row of rows) {
      const out = this.source.present(row, now);
      if (out !== null) shown.push(out);
      else if (this.source.wasShown?.(row)) removed.push(row.id);
    }
    return { rows: shown, removed };
  }

  #position(at: number): Position {
    return { version: this.source.table.version, at, rest: this.source.rest() };
  }

  #format({ version, at, rest }: Position): string {
    return `${this.context.serverId}.${version}.${at}.${rest}`;
  }

  #parse(id: string | undefined): Position | null {
    const match = id?.match(/^(\w+)\.(\d{1,15})\.(\d{1,15})\.([\w.]*)$/);
    if (match?.[1] !== this.context.serverId) return null;
    const position = { version: Number(match[2]), at: Number(match[3]), rest: match[4] ?? '' };
    // From a future that this process has not seen: made up, so start afresh.
    return position.version > this.source.table.version ? null : position;
  }
}
