import { isDeepStrictEqual } from 'node:util';

/** Of two versions of a row, the one with the higher `rev` is newer. */
export interface VersionedRow {
  id: string;
  rev: number;
}

export interface TableListener<Row> {
  /**
   * The row has been added, if there is none before, or changed. When the database has lost writes in a fail-over,
   * `before` may have the higher `rev`, and any column but the id may differ, those that otherwise never change too.
   */
  changed(row: Row, before: Row | undefined): void;
  /** The row is no longer in the table. */
  removed(row: Row): void;
}

interface Entry<Row> {
  row: Row;
  /** The table's version when the row last changed. */
  version: number;
  /** The load in which the row was last seen in the database. */
  load: number;
}

/** A row that was deleted from the database, as it was last. */
interface Deletion {
  rev: number;
  /** The load during which this became known. */
  load: number;
}

/** So many removed rows are remembered, for streams that resume, and so many deletions. */
const REMOVED_MAX = 10_000;

/**
 * The rows of one table in memory. `version` grows with every change, and each row stores the version
 * of its own last change, so that finding what changed since a version needs no log and works for any
 * earlier version.
 */
export class LiveTable<Row extends VersionedRow> {
  readonly #entries = new Map<string, Entry<Row>>();
  readonly #listeners: TableListener<Row>[] = [];
  #version = 0;
  /** Counts the loads; a row of an earlier one has not been seen in the load under way. */
  #load = 0;
  /** Rows that came in during a load and are not newer than what we hold: the load decides which one is right. */
  readonly #contested = new Map<string, Row>();
  readonly #doubtful = new Set<string>();
  /** Removed rows, the earliest first. */
  readonly #removed = new Map<string, { row: Row; version: number }>();
  /** Deletions, the earliest first: older versions of these rows may still come in. */
  readonly #deleted = new Map<string, Deletion>();
  #removedKnownSince = 0;
  #lastRemoval = 0;
  readonly #removedMax: number;

  /**
   * @param holds which rows of the database's table belong here; undefined: all. A row that no longer does leaves the
   *   table as if it were deleted, and nothing is remembered of it but its version: a stream that resumes starts anew
   */
  constructor(private readonly holds?: (row: Row) => boolean) {
    this.#removedMax = holds ? 0 : REMOVED_MAX;
  }

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

  /** The rows that have been removed since that version; null if it is too long ago to tell. */
  removedSince(since: number): Row[] | null {
    if (since < this.#removedKnownSince) return null;
    if (since >= this.#lastRemoval) return [];
    return [...this.#removed.values()].flatMap(({ row, version }) => (version > since ? row : []));
  }

  /** Applies committed rows, in any order and any number of times: versions that are not newer are ignored. */
  apply(rows: Iterable<Row>): void {
    for (const row of rows) {
      const entry = this.#entries.get(row.id);
      if (!entry && this.#isDeleted(row)) {
        if (this.#belongs(row)) this.#doubtful.add(row.id);
      } else if (!entry || isNewer(row, entry.row)) this.#take(row, entry);
      else if (entry.load < this.#load) this.#contest(row);
      else if (!isSame(entry.row, row)) this.#doubtful.add(row.id);
    }
  }

  /**
   * Removes rows that were deleted from the database, each with the version that was deleted. What still comes in of
   * them is ignored; a row that is inserted again has a higher `rev`, and stays.
   */
  delete(rows: Iterable<VersionedRow>): void {
    for (const { id, rev } of rows) {
      const entry = this.#entries.get(id);
      if (!entry || entry.row.rev <= rev) this.#delete(id, rev);
    }
  }

  /** Takes over rows of the database that are held for deleted. */
  restore(rows: Iterable<Row>): void {
    for (const row of rows) {
      this.#deleted.delete(row.id);
      this.apply([row]);
    }
  }

  /** Removes a row that is not in the database. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#lastRemoval = ++this.#version;
    this.#removed.set(id, { row: entry.row, version: this.#version });
    for (const [oldest, { version }] of this.#removed) {
      if (this.#removed.size <= this.#removedMax) break;
      this.#removed.delete(oldest);
      this.#removedKnownSince = version;
    }
    for (const listener of this.#listeners) listener.removed(entry.row);
  }

  /**
   * Begins reading the whole table again. Until {@link endLoad}, what the database says replaces what we hold, even
   * with a lower `rev`: a fail-over may have lost writes.
   */
  beginLoad(): void {
    this.#load++;
    this.#contested.clear();
    this.#doubtful.clear();
  }

  /** Rows as read from the database since the load began. */
  load(rows: Iterable<Row>): void {
    for (const row of rows) {
      const entry = this.#entries.get(row.id);
      // It was read before it was deleted.
      if (this.#isDeleted(row) && this.#deleted.get(row.id)?.load === this.#load) continue;
      if (entry?.load === this.#load) this.apply([row]);
      else this.#replace(row, entry);
    }
  }

  /**
   * Ends a load that has read every row: removes those that the database does not have. It looks at one row with each
   * step, and other changes may come between.
   */
  *endLoad(): Generator<void, void> {
    for (const [id, entry] of this.#entries) {
      if (entry.load !== this.#load) {
        const row = this.#contested.get(id);
        if (row) this.#replace(row, entry);
        else this.remove(id);
      }
      yield;
    }
    this.#contested.clear();
  }

  /**
   * The ids of rows of which a version came in that was not newer than ours and differs from it: one that arrived
   * late, or proof that the database has lost what we hold. Also of deleted rows that came in again. Each id is
   * returned once.
   */
  takeDoubtful(): string[] {
    const ids = [...this.#doubtful];
    this.#doubtful.clear();
    return ids;
  }

  /** Marks a row as changed because something it depends on has changed elsewhere. */
  touch(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.version = ++this.#version;
  }

  /** Tells `listener` of every existing row now, and of every change from now on. */
  follow(listener: TableListener<Row>): void {
    this.#listeners.push(listener);
    for (const row of this.rows()) listener.changed(row, undefined);
  }

  #delete(id: string, rev: number): void {
    this.#deleted.delete(id);
    this.#deleted.set(id, { rev, load: this.#load });
    for (const oldest of this.#deleted.keys()) {
      if (this.#deleted.size <= REMOVED_MAX) break;
      this.#deleted.delete(oldest);
    }
    this.remove(id);
  }

  #belongs(row: Row): boolean {
    return this.holds === undefined || this.holds(row);
  }

  /** Takes over the version that counts, whatever we hold. */
  #take(row: Row, entry: Entry<Row> | undefined): void {
    if (this.#belongs(row)) this.#set(row, entry);
    else this.#delete(row.id, row.rev);
  }

  #set(row: Row, entry: Entry<Row> | undefined): void {
    this.#entries.set(row.id, { row, version: ++this.#version, load: this.#load });
    this.#removed.delete(row.id);
    this.#deleted.delete(row.id);
    for (const listener of this.#listeners) listener.changed(row, entry?.row);
  }

  /** Takes over a row as the database has it, or the newer version of it that came in meanwhile. */
  #replace(row: Row, entry: Entry<Row> | undefined): void {
    const contested = this.#contested.get(row.id);
    const newest = contested && isNewer(contested, row) ? contested : row;
    this.#contested.delete(row.id);
    if (entry && isSame(entry.row, newest)) entry.load = this.#load;
    else this.#take(newest, entry);
  }

  #isDeleted({ id, rev }: Row): boolean {
    const deletion = this.#deleted.get(id);
    return deletion !== undefined && rev <= deletion.rev;
  }

  #contest(row: Row): void {
    const other = this.#contested.get(row.id);
    if (!other || isNewer(row, other)) this.#contested.set(row.id, row);
  }
}

const isNewer = (row: VersionedRow, than: VersionedRow): boolean => row.rev > than.rev;

/** Whether two versions of a row have the same values, in the columns that both have. */
export function isSame<Row extends VersionedRow>(a: Row, b: Row): boolean {
  if (a === b) return true;
  for (const key in a) if (key in b && !isDeepStrictEqual(a[key], b[key])) return false;
  return true;
}
