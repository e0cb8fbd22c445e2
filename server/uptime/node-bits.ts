import { DAY_MS, dayOf, dayText, numberInDay, QUARTERS_PER_DAY } from './quarters.ts';

const BYTES_PER_DAY = QUARTERS_PER_DAY / 8;

/** The bits of one node over several days. */
export class NodeBits {
  readonly #first: number;
  readonly #bytes: Uint8Array;

  /** @param first the first day (ms) @param days how many */
  constructor(first: number, days: number, rows: { day: string; bits: Uint8Array }[]) {
    this.#first = dayOf(first);
    this.#bytes = new Uint8Array(days * BYTES_PER_DAY);
    for (const { day, bits } of rows) {
      const at = ((Date.parse(day) - this.#first) / DAY_MS) * BYTES_PER_DAY;
      if (at >= 0 && at < this.#bytes.length) this.#bytes.set(bits.subarray(0, BYTES_PER_DAY), at);
    }
  }

  /** Whether the node was heard of in the quarter (ms). False outside of these days. */
  heard(quarter: number): boolean {
    const day = (dayOf(quarter) - this.#first) / DAY_MS;
    if (day < 0) return false;
    const n = numberInDay(quarter);
    // As get_bit() and set_bit() count: from the lowest bit of the first byte.
    return (((this.#bytes[day * BYTES_PER_DAY + (n >> 3)] ?? 0) >> (n & 7)) & 1) === 1;
  }
}

/** The days, as the database stores them, from the one of `first` to that of `last` (ms). */
export function daysBetween(first: number, last: number): string[] {
  const days: string[] = [];
  for (let day = dayOf(first); day <= last; day += DAY_MS) days.push(dayText(day));
  return days;
}
