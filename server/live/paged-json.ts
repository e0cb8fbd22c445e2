export interface PagedJsonOptions<Row, Tally> {
  /** The order of the list; rows that it does not tell apart are in the order of their ids. */
  compare: (a: Row, b: Row) => number;
  /**
   * The row's JSON at `now` (ms); null leaves it out of the list. Adds the row to its page's tally, and
   * calls `until` with the last moment (ms) at which this is right.
   */
  render(row: Row, now: number, tally: Tally, until: (moment: number) => void): string | null;
  tally(): Tally;
}

interface Page<Tally> {
  json: Buffer;
  count: number;
  tally: Tally;
  /** Right for every moment up to and including this one (ms), unless a row changes. */
  until: number;
}

export interface PagedJsonView<Tally> {
  /** The rows, joined by commas, without brackets. */
  chunks: Buffer[];
  bytes: number;
  tallies: Tally[];
  /** Rows in the list. */
  count: number;
  /** Right up to and including this moment (ms), unless a row changes. */
  until: number;
}

/** Rows per page: rendering a page takes some tens of microseconds, and 10,000 rows make 80 pages. */
const PAGE_ROWS = 128;
const COMMA = Buffer.from(',');

/**
 * The JSON of an ordered list of rows, cached in pages: a change renders only its own page again, and an
 * answer is the concatenated pages. What a row shows may depend on the time (a peer goes offline); each
 * page knows until when it is right.
 */
export class PagedJson<Row extends { id: string }, Tally> {
  #order: (Row | undefined)[] = [];
  readonly #index = new Map<string, number>();
  #pages: (Page<Tally> | undefined)[] = [];
  #sorted = true;

  readonly #compare: (a: Row, b: Row) => number;

  constructor(private readonly options: PagedJsonOptions<Row, Tally>) {
    this.#compare = (a, b) => options.compare(a, b) || (a.id < b.id ? -1 : 1);
  }

  /** Adds the row, or replaces the one with its id. A change of its position in the order is slow. */
  set(row: Row): void {
    const index = this.#index.get(row.id);
    if (index !== undefined) {
      if (this.options.compare(this.#order[index] as Row, row) !== 0) this.#sorted = false;
      this.#order[index] = row;
      this.#expire(index);
      return;
    }
    const last = this.#order.at(-1);
    if (last !== undefined && this.#compare(last, row) > 0) this.#sorted = false;
    this.#index.set(row.id, this.#order.length);
    this.#order.push(row);
    this.#expire(this.#order.length - 1);
  }

  delete(id: string): void {
    const index = this.#index.get(id);
    if (index === undefined) return;
    // The place stays empty until the list is read: many rows may be deleted at once.
    this.#order[index] = undefined;
    this.#index.delete(id);
    this.#sorted = false;
  }

  /** Renders a row again because something it depends on has changed elsewhere. */
  touch(id: string): void {
    const index = this.#index.get(id);
    if (index !== undefined) this.#expire(index);
  }

  /** Rows `offset` to `offset + limit`, including those that `render` leaves out. */
  slice(offset: number, limit: number): Row[] {
    this.#sort();
    return this.#order.slice(offset, offset + limit) as Row[];
  }

  /** The list as of `now` (ms). */
  at(now: number): PagedJsonView<Tally> {
    this.#sort();
    const view: PagedJsonView<Tally> = {
      chunks: [],
      bytes: 0,
      tallies: [],
      count: 0,
      until: Infinity,
    };
    for (let number = 0; number * PAGE_ROWS < this.#order.length; number++) {
      const page = this.#page(number, now);
      view.until = Math.min(view.until, page.until);
      view.tallies.push(page.tally);
      if (page.count === 0) continue;
      if (view.count > 0) {
        view.chunks.push(COMMA);
        view.bytes += 1;
      }
      view.chunks.push(page.json);
      view.bytes += page.json.length;
      view.count += page.count;
    }
    return view;
  }

  #page(number: number, now: number): Page<Tally> {
    const cached = this.#pages[number];
    if (cached && now <= cached.until) return cached;
    const tally = this.options.tally();
    const parts: string[] = [];
    let until = Infinity;
    const limit = (moment: number) => {
      if (moment < until) until = moment;
    };
    const end = Math.min((number + 1) * PAGE_ROWS, this.#order.length);
    for (let index = number * PAGE_ROWS; index < end; index++) {
      const json = this.options.render(this.#order[index] as Row, now, tally, limit);
      if (json !== null) parts.push(json);
    }
    const page = { json: Buffer.from(parts.join(',')), count: parts.length, tally, until };
    this.#pages[number] = page;
    return page;
  }

  #expire(index: number): void {
    this.#pages[Math.floor(index / PAGE_ROWS)] = undefined;
  }

  #sort(): void {
    if (this.#sorted) return;
    const rows = this.#order.filter((row) => row !== undefined).sort(this.#compare);
    this.#order = rows;
    this.#sorted = true;
    this.#index.clear();
    rows.forEach((row, index) => this.#index.set(row.id, index));
    this.#pages = [];
  }
}
