/** What a list is ordered by: moments (ms) or names. Rows that are equal in it are ordered by id. */
export type Order<Row> = (row: Row) => number | string;

/** Rows in an order, found by their ids. They are sorted when they are read. */
export class OrderedRows<Row extends { id: string }> {
  #rows: (Row | undefined)[] = [];
  readonly #index = new Map<string, number>();
  #sorted = true;

  /** @param onMove called when rows may have moved to other positions */
  constructor(
    private readonly order: Order<Row>,
    private readonly onMove: () => void = () => undefined,
  ) {}

  get size(): number {
    return this.#index.size;
  }

  get(id: string): Row | undefined {
    const index = this.#index.get(id);
    return index === undefined ? undefined : this.#rows[index];
  }

  /** Its position until rows move. */
  indexOf(id: string): number | undefined {
    return this.#index.get(id);
  }

  /**
   * Adds the row, or replaces the one with its id. A change of its position in the order is slow.
   * @returns its position until rows move
   */
  set(row: Row): number {
    let index = this.#index.get(row.id);
    const before = index === undefined ? this.#rows.at(-1) : this.#rows[index];
    if (before !== undefined) {
      const compared = this.#compare(before, row);
      if (index === undefined ? compared > 0 : compared !== 0) this.#sorted = false;
    }
    if (index === undefined) {
      index = this.#rows.length;
      this.#index.set(row.id, index);
    }
    this.#rows[index] = row;
    return index;
  }

  delete(id: string): void {
    const index = this.#index.get(id);
    if (index === undefined) return;
    // The place stays empty until the list is read: many rows may be deleted at once.
    this.#rows[index] = undefined;
    this.#index.delete(id);
    this.#sorted = false;
  }

  /** All rows in their order, in an array that the next change may modify. */
  all(): readonly Row[] {
    if (!this.#sorted) this.#sort();
    return this.#rows as Row[];
  }

  #compare(a: Row, b: Row): number {
    return ascending(this.order(a), this.order(b)) || ascending(a.id, b.id);
  }

  #sort(): void {
    const rows = this.#rows.filter((row) => row !== undefined);
    rows.sort((a, b) => this.#compare(a, b));
    this.#rows = rows;
    this.#sorted = true;
    this.#index.clear();
    rows.forEach((row, index) => this.#index.set(row.id, index));
    this.onMove();
  }
}

const ascending = <T extends number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
