import { and, gt, lt, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { servicePeriods } from '#db/schema/index.ts';
import type { Expired } from '#server/common/rooms.ts';
import { QUARTER_MS } from './quarters.ts';

/** Without a note for longer than this, a server counts as away since the last one, milliseconds. */
const UNINTERRUPTED_MS = 45_000;
/** Periods are needed until their quarters are recorded, milliseconds. */
const KEEP_MS = 8 * QUARTER_MS;
export const expiredPeriods: Expired = [
  servicePeriods,
  (now) => lt(servicePeriods.until, new Date(now - KEEP_MS)),
];

/**
 * When the service could store heartbeats. Each server notes every few seconds that it is up; that the note is stored
 * proves that the database is up too. All times are the database's.
 */
export class ServicePeriods {
  #since = -Infinity;
  #until = -Infinity;

  constructor(
    private readonly db: Db,
    private readonly server: string,
  ) {}

  /** Since when (ms) this server has been up without interruption; Infinity before the first note. */
  get since(): number {
    return this.#until === -Infinity ? Infinity : this.#since;
  }

  /** Notes that this server is up at `now` (ms). */
  async note(now: number): Promise<void> {
    const interrupted = now - this.#until > UNINTERRUPTED_MS;
    const since = interrupted ? now : this.#since;
    // A clock that is set back takes nothing away.
    const until = interrupted ? now : Math.max(now, this.#until);
    await this.db
      .insert(servicePeriods)
      .values({ server: this.server, since: new Date(since), until: new Date(until) })
      .onConflictDoUpdate({
        target: [servicePeriods.server, servicePeriods.since],
        set: { until: sql`excluded.until` },
      });
    this.#since = since;
    this.#until = until;
  }

  /** How long (ms) no server was up between two moments (ms). */
  async awayMs(from: number, to: number): Promise<number> {
    const periods = await this.db
      .select({ since: servicePeriods.since, until: servicePeriods.until })
      .from(servicePeriods)
      .where(and(lt(servicePeriods.since, new Date(to)), gt(servicePeriods.until, new Date(from))));
    const times = periods.map(({ since, until }): [number, number] => [+since, +until]);
    return to - from - coveredMs(times, from, to);
  }
}

/** How much of the time from `from` to `to` at least one of the periods covers. */
export function coveredMs(periods: [since: number, until: number][], from: number, to: number) {
  let covered = 0;
  let reached = from;
  for (const [since, until] of [...periods].sort(([a], [b]) => a - b)) {
    const start = Math.max(since, reached);
    const end = Math.min(until, to);
    if (end > start) {
      covered += end - start;
      reached = end;
    }
  }
  return covered;
}
