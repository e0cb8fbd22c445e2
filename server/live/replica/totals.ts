import { Deadlines } from './deadlines.ts';

interface Counted<Row, Part> {
  row: Row;
  part: Part | null;
  until: number;
}

/** Keeps totals over rows as these change and as time passes: reading them costs the same for any number of rows. */
export abstract class Totals<Row extends { id: string }, Part> {
  readonly #counted = new Map<string, Counted<Row, Part>>();
  readonly #deadlines = new Deadlines();

  /**
   * What a row adds to the totals at `now` (ms), or null if it does not count. Calls `until` with the last moment
   * (ms) at which this is right. A part that is the same object as the row's part before changes nothing.
   */
  protected abstract part(row: Row, now: number, until: (moment: number) => void): Part | null;

  /** Adds a part to the totals, or takes it away. */
  protected abstract add(part: Part, sign: 1 | -1): void;

  /** Adds a row, or replaces the one with its id. Also for a row whose part has changed for another reason. */
  set(row: Row, now: number): void {
    const counted: Counted<Row, Part> = { row, part: null, until: Infinity };
    counted.part = this.part(row, now, (moment) => {
      if (moment < counted.until) counted.until = moment;
    });
    const before = this.#counted.get(row.id)?.part;
    if (before !== counted.part) {
      if (before) this.add(before, -1);
      if (counted.part) this.add(counted.part, 1);
    }
    this.#counted.set(row.id, counted);
    this.#deadlines.expect(row.id, counted.until);
  }

  delete(id: string): void {
    const part = this.#counted.get(id)?.part;
    if (part) this.add(part, -1);
    this.#counted.delete(id);
  }

  /** Brings the totals to `now` (ms), which must not go back. */
  advance(now: number): void {
    for (const id of this.#deadlines.passed(now, (id) => this.#counted.get(id)?.until)) {
      const counted = this.#counted.get(id);
      if (counted) this.set(counted.row, now);
    }
  }
}
