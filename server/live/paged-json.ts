import { digest } from './answer.ts';

/** What a list is ordered by: moments (ms) or names. Rows that are equal in it are ordered by id. */
export type Order<Row> = (row: Row) => number | string;

export interface PagedJsonOptions<Row> {
  order: Order<Row>;
  /**
   * The row's JSON at `now` (ms); null leaves it out of the list. Calls `until` with the last moment (ms) at which
   * this is right.
   */
  render: (row: Row, now: number, until: (moment: number) => void) => string | null;
}

interface Page {
  json: Buffer;
  digest: string;
  /** Right for every moment up to and including this one (ms), unless a row changes. */
  until: number;
}

export interface PagedJsonView {
  /** The rows, joined by commas, without brackets. */
  chunks: Buffer[];
  bytes: number;
  /** One of each page: equal digests, equal rows. */
  digests: string[];
  /** Right up to and including this moment (ms), unless a row changes. */
  until: number;
}

/** Rows per page: rendering one takes some tens of microseconds, and 10,000 rows make 80 pages. */
const PAGE_ROWS = 128;
const COMMA = Buffer.from(',');

/**
 * The JSON of an ordered list of rows, cached in pages: a change renders only its own page again, and an
 * answer is the concatenated pages. What a row shows may depend on the time (a peer goes offline); each
 * page knows until when it is right.
 */
export class PagedJson<Row extends { id: string }> {
  #order: (Row | undefined)[] = [];
  readonly #index = new Map<string, number>();
  #pages: (Page | undefined)[] = [];
  #sorted = true;

  constructor(private readonly options: PagedJsonOptions<Row>) {}

  get size(): number {
    return this.#index.size;
  }

  get(id: string): Row | undefined {
    const index = this.#index.get(id);
    return index === undefined ? undefined : this.#order[index];
  }

  /** Adds the row, or replaces the one with its id. A change of its position in the order is slow. */
  set(row: Row): void {
    const index = this.#index.get(row.id);
    if (index !== undefined) {
      if (this.#compare(this.#order[index] as Row, row) !== 0) this.#sorted = false;
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

  /** Drops the rendered pages, which take as much memory as the list has bytes. */
  dropPages(): void {
    this.#pages = [];
  }

  /** The list as of `now` (ms). */
  at(now: number): PagedJsonView {
    this.#sort();
    const view: PagedJsonView = { chunks: [], bytes: 0, digests: [], until: Infinity };
    for (let number = 0; number * PAGE_ROWS < this.#order.length; number++) {
      const page = this.#page(number, now);
      view.until = Math.min(view.until, page.until);
      view.digests.push(page.digest);
      if (page.json.length === 0) continue;
      if (view.bytes > 0) {
        view.chunks.push(COMMA);
        view.bytes += 1;
      }
      view.chunks.push(page.json);
      view.bytes += page.json.length;
    }
    return view;
  }

  #page(number: number, now: number): Page {
    const cached = this.#pages[number];
    if (cached && now <= cached.until) return cached;
    const parts: string[] = [];
    let until = Infinity;
    const limit = (moment: number) => {
      if (moment < until) until = moment;
    };
    const end = Math.min((number + 1) * PAGE_ROWS, this.#order.length);
    for (let index = number * PAGE_ROWS; index < end; index++) {
      const json = this.options.render(this.#order[index] as Row, now, limit);
      if (json !== null) parts.push(json);
    }
    const json = Buffer.from(parts.join(','));
    const page = { json, digest: digest(json), until };
    this.#pages[number] = page;
    return page;
  }

  #expire(index: number): void {
    this.#pages[Math.floor(index / PAGE_ROWS)] = undefined;
  }

  #compare(a: Row, b: Row): number {
    const { order } = this.options;
    return ascending(order(a), order(b)) || ascending(a.id, b.id);
  }

  #sort(): void {
    if (this.#sorted) return;
    const rows = this.#order.filter((row) => row !== undefined);
    rows.sort((a, b) => this.#compare(a, b));
    this.#order = rows;
    this.#sorted = true;
    this.#index.clear();
    rows.forEach((row, index) => this.#index.set(row.id, index));
    this.#pages = [];
  }
}

const ascending = <T extends number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
