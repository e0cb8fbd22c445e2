/**
 * The JSON of an ordered list of rows, kept in pages: a change makes only its own page anew, and an
 * answer is the pages laid side by side. What a row shows may depend on the time (a peer goes
 * offline); each page knows until when it is right.
 */
export interface PagedJsonOptions<Row, Tally> {
  compare: (a: Row, b: Row) => number;
  /**
   * The row's JSON at `now`, or null where the list leaves the row out. Adds the row to its page's
   * tally, and tells with `until` the moment (ms) up to which this holds.
   */
  render(row: Row, now: number, tally: Tally, until: (moment: number) => void): string | null;
  tally(): Tally;
}

interface Page<Tally> {
  json: Buffer;
  count: number;
  tally: Tally;
  /** Right for every moment from its making up to and including this one; -Infinity: a row changed. */
  until: number;
}

export interface PagedJsonView<Tally> {
  /** The rows, joined by commas, without brackets. */
  chunks: Buffer[];
  bytes: number;
  tallies: Tally[];
  /** Rows in the list. */
  count: number;
  /** The view holds up to and including this moment, if no row changes. */
  until: number;
}

/** Rows per page: making one page anew takes some tens of microseconds, and 10,000 rows are 80 pages. */
const PAGE_ROWS = 128;
const COMMA = Buffer.from(',');

export class PagedJson<Row extends { id: string }, Tally> {
  #order: Row[] = [];
  readonly #index = new Map<string, number>();
  #pages: (Page<Tally> | undefined)[] = [];
  #sorted = true;

  constructor(private readonly options: PagedJsonOptions<Row, Tally>) {}

  /** Adds the row, or puts it in the place of the earlier one with its id. The order of a row must not change. */
  set(row: Row): void {
    const at = this.#index.get(row.id);
    if (at !== undefined) {
      this.#order[at] = row;
      this.#expire(at);
      return;
    }
    const last = this.#order.at(-1);
    if (last !== undefined && this.options.compare(last, row) > 0) this.#sorted = false;
    this.#index.set(row.id, this.#order.length);
    this.#order.push(row);
    this.#expire(this.#order.length - 1);
  }

  delete(id: string): void {
    const at = this.#index.get(id);
    if (at === undefined) return;
    this.#order.splice(at, 1);
    this.#reindex();
  }

  /** What the row shows depends on something that changed elsewhere. */
  touch(id: string): void {
    const at = this.#index.get(id);
    if (at !== undefined) this.#expire(at);
  }

  /** Rows `offset` to `offset + limit` of the list, whether or not `render` leaves them out. */
  slice(offset: number, limit: number): Row[] {
    this.#sort();
    return this.#order.slice(offset, offset + limit);
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
    for (let at = 0; at * PAGE_ROWS < this.#order.length; at++) {
      const page = this.#page(at, now);
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

  #page(at: number, now: number): Page<Tally> {
    const known = this.#pages[at];
    if (known && now <= known.until) return known;
    const tally = this.options.tally();
    const parts: string[] = [];
    let until = Infinity;
    const limit = (moment: number) => {
      if (moment < until) until = moment;
    };
    const end = Math.min((at + 1) * PAGE_ROWS, this.#order.length);
    for (let i = at * PAGE_ROWS; i < end; i++) {
      const json = this.options.render(this.#order[i] as Row, now, tally, limit);
      if (json !== null) parts.push(json);
    }
    const page = { json: Buffer.from(parts.join(',')), count: parts.length, tally, until };
    this.#pages[at] = page;
    return page;
  }

  #expire(at: number): void {
    this.#pages[Math.floor(at / PAGE_ROWS)] = undefined;
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#order.sort(this.options.compare);
    this.#sorted = true;
    this.#reindex();
  }

  #reindex(): void {
    this.#index.clear();
    this.#order.forEach((row, at) => this.#index.set(row.id, at));
    this.#pages = [];
  }
}
