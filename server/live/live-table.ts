/** What the read model needs of a row: its id, and which of two versions is the newer. */
export interface VersionedRow {
  id: string;
  rev: number;
}

interface Entry<Row> {
  row: Row;
  /** The table's version when the row last changed. */
  version: number;
}

/**
 * The rows of one table in memory. `version` grows with every change, and each row remembers the
 * version of its own last change: "what changed since v" needs no log, and loses nothing however far
 * back v lies.
 */
export class LiveTable<Row extends VersionedRow> {
  readonly #entries = new Map<string, Entry<Row>>();
  readonly #listeners: ((row: Row, before: Row | undefined) => void)[] = [];
  #version = 0;

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Row | undefined {
    return this.#entries.get(id)?.row;
  }

  *rows(): IterableIterator<Row> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /** Rows for which `wanted(row, changed)` holds; `changed` says whether the row changed after `since`. */
  changedSince(since: number, wanted: (row: Row, changed: boolean) => boolean): Row[] {
    const found: Row[] = [];
    for (const { row, version } of this.#entries.values())
      if (wanted(row, version > since)) found.push(row);
    return found;
  }

  /**
   * Takes over committed rows, in any order and as often as one likes: a version of a row that is not
   * newer than the one held is ignored.
   */
  apply(rows: Iterable<Row>): void {
    for (const row of rows) {
      const before = this.#entries.get(row.id)?.row;
      if (before && before.rev >= row.rev) continue;
      this.#entries.set(row.id, { row, version: ++this.#version });
      for (const listener of this.#listeners) listener(row, before);
    }
  }

  /** Counts the row as changed: what it shows depends on something that changed elsewhere. */
  touch(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.version = ++this.#version;
  }

  /** Calls `listener` for every change from now on, and first for every row there is. */
  follow(listener: (row: Row, before: Row | undefined) => void): void {
    this.#listeners.push(listener);
    for (const row of this.rows()) listener(row, undefined);
  }
}
