import type { Layout } from '../answers/list-layout.ts';
import type { LiveTable, VersionedRow } from './live-table.ts';
import type { Ticker } from './ticker.ts';

/**
 * Event streams over the read model: what changed, at most once a second.
 *
 * An event's id is a cursor: a process, a version of its table, and a moment. A client that reconnects
 * with it gets every row that has changed since, in its current state. Nothing is lost however long it
 * was away, because there is no log that could run out. An id of another process, or of an earlier run
 * of this one, or from so long ago that much of the list has changed, gets a snapshot.
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

/** A change as the bytes of a server-sent event, made once for all streams that are level. */
export interface EventFrame<Head, Row, More = object> {
  id: string;
  /** Never set: the type of what `data` holds. */
  change?: Omit<Change<Head, Row>, 'id'> & More;
  /** The JSON of the change without its id, in pieces. */
  data: readonly Buffer[];
  /** The event that carries them. */
  event: readonly Buffer[];
}

/** A position in the changes of one server. */
export interface Cursor {
  version: number;
  /** Milliseconds since 1970. */
  at: number;
  headVersion: string;
}

/** What every stream of this process has in common. */
export interface StreamContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Random, one per process: cursors of another one are not continued. */
  readonly serverId: string;
  readonly ticker: Ticker;
}

export interface ChangeSource<Row extends VersionedRow, Head, Out, More = object> {
  table: LiveTable<Row>;
  /** Brings the table to `now` (ms), if its rows follow the time. */
  advance?(now: number): void;
  /** The whole list. */
  list: { whole(): Promise<{ json: Buffer; layout: Layout<Cursor> }> };
  /** Changes whenever `head` does, except with the table and the passage of time. */
  headVersion(): string;
  head(now: number): Head;
  /** Whether the passage of time alone has changed how the row looks between `then` and `now` (ms). */
  aged(row: Row, then: number, now: number): boolean;
  /** The row as the list shows it; null if the list does not show it. */
  present(row: Row, now: number): Out | null;
  /** Whether a hidden row was ever shown: only then does the stream report it as removed. */
  wasShown?(row: Row): boolean;
  /** What a change has beside its rows; null if there is nothing. A change is sent for it alone, too. */
  more?(from: Cursor, to: Cursor): More | null;
}

/** A client that has missed more changes than this, and than a tenth of the list, gets a snapshot: its bytes exist. */
const CHANGES_MAX = 3000;

export class ChangeStream<Row extends VersionedRow, Head, Out, More = object> {
  /** The frames of the newest tick, by the cursor that they continue: streams with the same cursor share one. */
  #frames = new Map<string, EventFrame<Head, Out, More> | null>();
  #framesTo = '';

  constructor(
    private readonly context: StreamContext,
    private readonly source: ChangeSource<Row, Head, Out, More>,
  ) {}

  /**
   * Following from here yields every change that an answer lacks which was made at `mark`; by default, one made from
   * now on.
   */
  cursor(mark?: Cursor | null): string {
    return this.#format(mark ?? this.#cursorAt(this.context.clock()));
  }

  /**
   * A snapshot or, after a `lastEventId` of this process, the changes since; then every change. Ends
   * when `signal` aborts or the server stops.
   */
  async *follow(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<EventFrame<Head, Out, More>> {
    let cursor = this.#parse(lastEventId);
    for (;;) {
      if (!cursor || this.#isFarBehind(cursor)) {
        const snapshot = await this.#snapshot();
        yield snapshot.frame;
        cursor = snapshot.cursor;
      }
      const now = await this.context.ticker.next(signal);
      if (now === null) return;
      if (this.#isFarBehind(cursor)) continue;
      const to = this.#cursorAt(now);
      const frame = this.#between(cursor, to);
      if (frame) yield frame;
      cursor = to;
    }
  }

  async #snapshot(): Promise<{ frame: EventFrame<Head, Out, More>; cursor: Cursor }> {
    const { json, layout } = await this.source.list.whole();
    const id = this.#format(layout.mark);
    const data = [
      Buffer.from(`{"type":"snapshot","head":${layout.head},"rows":[`),
      json.subarray(layout.before, json.length - layout.after),
      Buffer.from('],"removed":[]}'),
    ];
    return { frame: eventFrom(id, data), cursor: layout.mark };
  }

  #isFarBehind({ version }: Cursor): boolean {
    const { table } = this.source;
    const behind = table.version - version;
    return (
      (behind > CHANGES_MAX && behind > table.size / 10) || table.removedSince(version) === null
    );
  }

  #between(from: Cursor, to: Cursor): EventFrame<Head, Out, More> | null {
    const [start, end] = [this.#format(from), this.#format(to)];
    if (this.#framesTo !== end) {
      this.#framesTo = end;
      this.#frames = new Map();
    }
    let frame = this.#frames.get(start);
    if (frame === undefined) this.#frames.set(start, (frame = this.#find(from, to)));
    return frame;
  }

  #find(from: Cursor, to: Cursor): EventFrame<Head, Out, More> | null {
    const changed = this.source.table.changedSince(
      from.version,
      (row, changed) => changed || this.source.aged(row, from.at, to.at),
    );
    const rows: Out[] = [];
    const removed: string[] = [];
    for (const row of changed) {
      const out = this.source.present(row, to.at);
      if (out !== null) rows.push(out);
      else if (this.source.wasShown?.(row)) removed.push(row.id);
    }
    for (const row of this.source.table.removedSince(from.version) ?? [])
      if (this.source.wasShown?.(row)) removed.push(row.id);
    const more = this.source.more?.(from, to) ?? null;
    if (rows.length + removed.length === 0 && more === null && from.headVersion === to.headVersion)
      return null;
    const change: Omit<Change<Head, Out>, 'id'> = {
      type: 'changes',
      head: this.source.head(to.at),
      rows,
      removed,
      ...more,
    };
    return eventFrom(this.#format(to), [Buffer.from(JSON.stringify(change))]);
  }

  #cursorAt(at: number): Cursor {
    this.source.advance?.(at);
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

const DATA = Buffer.from('data: ');

/** An event whose bytes exist: the JSON of a change in pieces. */
export function eventFrom<Head, Row, More>(
  id: string,
  data: Buffer[],
): EventFrame<Head, Row, More> {
  const event = [DATA, ...data, Buffer.from(`\nid: ${id}\n\n`)];
  // A write for each piece costs more than copying a small event.
  return { id, data, event: data.length === 1 ? [Buffer.concat(event)] : event };
}
