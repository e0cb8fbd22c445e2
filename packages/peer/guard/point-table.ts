/** One point is forgiven each time this many milliseconds pass. */
export const FORGIVEN_MS = 10_000;
/** How long a refusal lasts, milliseconds: long enough to make attacks slow, short enough for a mended program. */
export const REFUSAL_MS = 3_600_000;

export interface Points {
  points: number;
  /** When the points were counted, milliseconds since 1970. */
  at: number;
  /** Milliseconds since 1970; null: not refused. */
  refusedUntil: number | null;
}

interface PointTableOptions {
  now: () => number;
  /** Points at which somebody is refused. */
  refusedAt: number;
  /** How many are remembered that are refused, and that are not. Else the memory would grow as an attacker likes. */
  maxRefused: number;
  maxCounted: number;
}

/**
 * Points of many, each by its name. Time forgives them, and too many refuse for an hour. Those who are refused and those who
 * are not have places of their own: neither a refusal nor a small fault is forgotten because there are many of the other.
 */
export class PointTable {
  readonly #entries = new Map<string, Points>();

  constructor(private readonly options: PointTableOptions) {}

  /** What is known of all of which something still counts. */
  get known(): [name: string, points: Points][] {
    const now = this.options.now();
    return [...this.#entries].filter(([, entry]) => counts(entry, now));
  }

  /** Takes back what {@link PointTable.known} was, if there is room. */
  restore(name: string, entry: Points): void {
    const now = this.options.now();
    // If the clock was wrong when this was written, the refusal would last for years.
    const refusedUntil = entry.refusedUntil && Math.min(entry.refusedUntil, now + REFUSAL_MS);
    const restored = { ...entry, refusedUntil };
    if (this.#isRoom(holds(restored, now), now)) this.#entries.set(name, restored);
  }

  /** Adds points. @returns whether it is refused from now on, also if there is no room to remember that */
  add(name: string, points: number): boolean {
    const now = this.options.now();
    const before = this.#entries.get(name);
    const sum = (before ? pointsOf(before, now) : 0) + points;
    // Rounded, because a little is forgiven even between two faults in a row.
    const refused =
      Math.round(sum) >= this.options.refusedAt || (before !== undefined && holds(before, now));
    // The newest goes to the end, so that the first ones are the oldest.
    this.#entries.delete(name);
    if (this.#isRoom(refused, now))
      this.#entries.set(name, {
        points: sum,
        at: now,
        refusedUntil: refused ? now + REFUSAL_MS : null,
      });
    return refused;
  }

  /** Until when it is refused, milliseconds since 1970; null: it is welcome. */
  refusedUntil(name: string): number | null {
    const until = this.#entries.get(name)?.refusedUntil ?? null;
    return until !== null && until > this.options.now() ? until : null;
  }

  /**
   * Makes room, if it has to: forgets whatever is forgiven, then of those who are not refused the one with the fewest
   * points, the oldest of them. Nobody gets a refusal forgotten by having others refused.
   */
  #isRoom(refused: boolean, now: number): boolean {
    const { maxRefused, maxCounted } = this.options;
    if (this.#entries.size < Math.min(maxRefused, maxCounted)) return true;
    let count = 0;
    let fewest: { name: string; points: number } | null = null;
    for (const [name, entry] of this.#entries) {
      if (!counts(entry, now)) this.#entries.delete(name);
      else if (holds(entry, now) === refused) {
        count++;
        const points = pointsOf(entry, now);
        if (!refused && (!fewest || points < fewest.points)) fewest = { name, points };
      }
    }
    if (count < (refused ? maxRefused : maxCounted)) return true;
    return fewest !== null && this.#entries.delete(fewest.name);
  }
}

const pointsOf = ({ points, at }: Points, now: number): number =>
  Math.max(0, points - Math.max(0, now - at) / FORGIVEN_MS);

const holds = ({ refusedUntil }: Points, now: number): boolean =>
  refusedUntil !== null && refusedUntil > now;

const counts = (entry: Points, now: number): boolean =>
  holds(entry, now) || pointsOf(entry, now) > 0;
