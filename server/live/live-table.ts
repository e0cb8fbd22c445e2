/** Of two versions of a row, the one with the higher `rev` is newer. */
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
 * The rows of one table in memory. `version` grows with every change, and each row stores the version
 * of its own last change, so that finding what changed since a version needs no log and works for any
 * earlier version.
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

  /** The rows for which `wanted(row, changed)` is true; `changed`: the row has changed since that version. */
  changedSince(since: number, wanted: (row: Row, changed: boolean) => boolean): Row[] {
    const found: Row[] = [];
    for (const { row, version } of this.#entries.values())
      if (wanted(row, version > since)) found.push(row);
    return found;
  }

  /** Applies committed rows, in any order and any number of times: versions that are not newer are ignored. */
  apply(rows: Iterable<Row>): void {
    for (const row of rows) {
      const before = this.#entries.get(row.id)?.row;
      if (before && before.rev >= row.rev) continue;
      this.#entries.set(row.id, { row, version: ++this.#version });
      for (const listener of this.#listeners) listener(row, before);
    }
  }

  /** Marks a row as changed because something it depends on has changed elsewhere. */
  touch(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.version = ++this.#version;
  }

  /** Calls `listener` for every existing row now, and for every change from now on. */
  follow(listener: (row: Row, before: Row | undefined) => void): void {
    this.#listeners.push(listener);
    for (const row of this.rows()) listener(row, undefined);
  }
}
