import type { LiveTable, VersionedRow } from './live-table.ts';
import type { ServiceContext } from '#server/common/context.ts';

/**
 * Event streams over the read model: what changed, at most once a second.
 *
 * An event's id is a cursor: a process, a version of its table, and a moment. A client that reconnects
 * with it gets every row that has changed since, in its current state. Nothing is lost however long it
 * was away, because there is no log that could run out. An id of another process, or of an earlier run
 * of this one, gets a snapshot.
 */

export interface Change<Head, Row> {
  /** Pass it as `lastEventId` to continue from here. */
  id: string;
  /** `snapshot`: `rows` is the whole list. `changes`: only the rows that changed. */
  type: 'snapshot' | 'changes';
  head: Head;
  rows: Row[];
  /** Ids of rows that have left the list. */
  removed: string[];
}

interface Cursor {
  version: number;
  /** ms */
  at: number;
  headVersion: string;
}

export interface ChangeSource<Row extends VersionedRow, Head, Out> {
  table: LiveTable<Row>;
  /** Changes whenever `head` does, except with the table and the passage of time. */
  headVersion(): string;
  head(now: number): Head;
  /** Whether the passage of time alone has changed how the row looks between `then` and `now` (ms). */
  aged(row: Row, then: number, now: number): boolean;
  /** The row as the list shows it; null if the list does not show it. */
  present(row: Row, now: number): Out | null;
  /** Whether a hidden row was ever shown: only then does the stream report it as removed. */
  wasShown?(row: Row): boolean;
}

export class ChangeStream<Row extends VersionedRow, Head, Out> {
  /** The last change found: streams with the same cursor share it. */
  #last: { key: string; change: Change<Head, Out> | null } | undefined;

  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'serverId' | 'ticker'>,
    private readonly source: ChangeSource<Row, Head, Out>,
  ) {}

  /** The current cursor. Following from it yields every change that an answer made from now on lacks. */
  cursor(): string {
    return this.#format(this.#cursorAt(this.context.clock()));
  }

  /**
   * A snapshot or, after a `lastEventId` of this process, the changes since; then every change. Ends
   * when `signal` aborts or the server stops.
   */
  async *follow(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Change<Head, Out>> {
    let cursor = this.#parse(lastEventId);
    if (!cursor) {
      const now = this.context.clock();
      cursor = this.#cursorAt(now);
      yield this.#snapshot(cursor);
    }
    for (;;) {
      const now = await this.context.ticker.next(signal);
      if (now === null) return;
      const to = this.#cursorAt(now);
      const change = this.#between(cursor, to);
      if (change) yield change;
      cursor = to;
    }
  }

  #snapshot(cursor: Cursor): Change<Head, Out> {
    return {
      id: this.#format(cursor),
      type: 'snapshot',
      head: this.source.head(cursor.at),
      ...this.#present([...this.source.table.rows()], cursor.at),
      removed: [],
    };
  }

  #between(from: Cursor, to: Cursor): Change<Head, Out> | null {
    const key = `${this.#format(from)} ${this.#format(to)}`;
    if (this.#last?.key !== key) this.#last = { key, change: this.#find(from, to) };
    return this.#last.change;
  }

  #find(from: Cursor, to: Cursor): Change<Head, Out> | null {
    const rows = this.source.table.changedSince(
      from.version,
      (row, changed) => changed || this.source.aged(row, from.at, to.at),
    );
    const shown = this.#present(rows, to.at);
    const gone = this.source.table.removedSince(from.version);
    if (!gone) return this.#snapshot(to);
    for (const row of gone) if (this.source.wasShown?.(row)) shown.removed.push(row.id);
    if (shown.rows.length + shown.removed.length === 0 && from.headVersion === to.headVersion)
      return null;
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

  #cursorAt(at: number): Cursor {
    return { version: this.source.table.version, at, headVersion: this.source.headVersion() };
  }

  #format({ version, at, headVersion }: Cursor): string {
    return `${this.context.serverId}.${version}.${at}.${headVersion}`;
  }

  #parse(id: string | undefined): Cursor | null {
    const match = id?.match(/^(\w+)\.(\d{1,15})\.(\d{1,15})\.([\w.]*)$/);
    if (match?.[1] !== this.context.serverId) return null;
    const cursor = {
      version: Number(match[2]),
      at: Number(match[3]),
      headVersion: match[4] ?? '',
    };
    // A version that this process has not reached: the id is made up, so start with a snapshot.
    return cursor.version > this.source.table.version ? null : cursor;
  }
}
