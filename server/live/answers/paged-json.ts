import { OrderedRows, type Order } from '../replica/ordered-rows.ts';
import { digest } from './answer.ts';

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
export const PAGE_ROWS = 128;
const COMMA = Buffer.from(',');

/**
 * The JSON of an ordered list of rows, cached in pages: a change renders only its own page again, and an
 * answer is the concatenated pages. What a row shows may depend on the time (a peer goes offline); each
 * page knows until when it is right.
 */
export class PagedJson<Row extends { id: string }> {
  readonly #rows: OrderedRows<Row>;
  #pages: (Page | undefined)[] = [];

  constructor(private readonly options: PagedJsonOptions<Row>) {
    this.#rows = new OrderedRows(options.order, () => (this.#pages = []));
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  set(row: Row): void {
    this.#expire(this.#rows.set(row));
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  /** Renders a row again because something it depends on has changed elsewhere. */
  touch(id: string): void {
    const index = this.#rows.indexOf(id);
    if (index !== undefined) this.#expire(index);
  }

  slice(offset: number, limit: number): Row[] {
    return this.#rows.all().slice(offset, offset + limit);
  }

  /** Drops the rendered pages, which take as much memory as the list has bytes. */
  dropPages(): void {
    this.#pages = [];
  }

  /** The list as of `now` (ms). */
  at(now: number): PagedJsonView {
    const rows = this.#rows.all();
    const view: PagedJsonView = { chunks: [], bytes: 0, digests: [], until: Infinity };
    for (let number = 0; number * PAGE_ROWS < rows.length; number++) {
      const page = this.#page(rows, number, now);
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

  #page(rows: readonly Row[], number: number, now: number): Page {
    const cached = this.#pages[number];
    if (cached && now <= cached.until) return cached;
    const parts: string[] = [];
    let until = Infinity;
    const limit = (moment: number) => {
      if (moment < until) until = moment;
    };
    for (const row of rows.slice(number * PAGE_ROWS, (number + 1) * PAGE_ROWS)) {
      const json = this.options.render(row, now, limit);
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
}
