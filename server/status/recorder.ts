import { and, gte, lt, ne, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { statusMinutes } from '#db/schema.ts';
import type { GenesisHealth } from '#server/genesis/index.ts';

/**
 * The history of /status: what happened in each minute of the last day, over all server processes.
 * Counting is adding to a number in memory; each process writes its row of a minute once, when the
 * minute is over or the process stops. A crash loses the minute that was running.
 * While the database is away the minutes wait in memory, at most a day of them.
 */

export const MINUTE_MS = 60_000;
/** What is shown, and kept in memory. */
export const HISTORY_MS = 24 * 60 * MINUTE_MS;
/** Rows older than this are deleted. An hour more than is shown, for servers whose clocks differ. */
const KEEP_MS = HISTORY_MS + 60 * MINUTE_MS;
/** Others' minutes are read when somebody looks, at most this often. */
const READ_EVERY_MS = 5000;

export interface Minute {
  checksOk: number;
  checksFailed: number;
  /** Of the checks that succeeded, ms. */
  latencySumMs: number;
  latencyMaxMs: number;
  pings: number;
  announces: number;
  /** Processes that counted. */
  servers: number;
}

/** By the moment at which a minute begins, ms. A minute in which no process ran is missing. */
export type Minutes = ReadonlyMap<number, Readonly<Minute>>;

export const minuteOf = (moment: number) => moment - (moment % MINUTE_MS);

const emptyMinute = (): Minute => ({
  checksOk: 0,
  checksFailed: 0,
  latencySumMs: 0,
  latencyMaxMs: 0,
  pings: 0,
  announces: 0,
  servers: 1,
});

export class StatusRecorder {
  /** The minutes of this process, oldest first. Exact, so that its own rows are never read back. */
  readonly #own = new Map<number, Minute>();
  #current = { at: -Infinity, minute: emptyMinute() };
  /** The last of our minutes whose row holds all of it. */
  #writtenUpTo = -Infinity;
  #writing = Promise.resolve();
  /** The minutes of all other processes, this one's predecessors among them. */
  #others = new Map<number, Minute>();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly db: Db,
    private readonly serverId: string,
    private readonly clock: () => number,
    private readonly log: Logger,
  ) {}

  /** Heartbeats that were committed. */
  pings(count: number): void {
    this.#now().pings += count;
  }

  /** Announces that were committed. */
  announces(count: number): void {
    this.#now().announces += count;
  }

  /** A check of Genesis has ended so. Of what was asked and answered, nothing else is kept. */
  genesis({ status, latencyMs }: GenesisHealth): void {
    const minute = this.#now();
    if (status !== 'online') {
      minute.checksFailed++;
      return;
    }
    minute.checksOk++;
    minute.latencySumMs += latencyMs ?? 0;
    minute.latencyMaxMs = Math.max(minute.latencyMaxMs, latencyMs ?? 0);
  }

  /** Begins to write each minute as it ends. */
  start(): void {
    this.#now();
    const next = () => {
      if (this.#stopped) return;
      const rest = MINUTE_MS - (this.clock() % MINUTE_MS);
      this.#timer = setTimeout(() => void this.write().then(next), rest).unref();
    };
    next();
  }

  /** Ends that, and writes what there is of the minute that is running. Nothing may be counted after. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#writeAfter(() => Infinity);
  }

  /** Writes the minutes that are over and not written yet, and deletes old ones. Never rejects: what failed is tried with the next. */
  write(): Promise<void> {
    return this.#writeAfter(() => minuteOf(this.clock()));
  }

  /** Brings other processes' minutes up to date. Those who ask at the same time share one query; what there is stays while the database is away. */
  async refresh(): Promise<void> {
    if (this.#reading) return this.#reading;
    const now = this.clock();
    if (Math.abs(now - this.#readAt) < READ_EVERY_MS) return;
    this.#reading = withRetry(() => this.#select(new Date(now - HISTORY_MS)))
      .then(
        (others) => void (this.#others = others),
        () => undefined,
      )
      .finally(() => {
        this.#readAt = now;
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** All that is known of the last day, oldest first, the running minute included. */
  minutes(): Minutes {
    const since = minuteOf(this.clock()) - HISTORY_MS;
    const sum = new Map<number, Minute>();
    for (const minutes of [this.#others, this.#own])
      for (const [at, minute] of minutes) {
        const other = sum.get(at);
        if (at > since) sum.set(at, other ? added(minute, other) : minute);
      }
    return new Map([...sum].sort(([a], [b]) => a - b));
  }

  /** The minute that is running. Should the clock be set back, its last minute goes on: a row that is written must not shrink. */
  #now(): Minute {
    const at = minuteOf(this.clock());
    if (at > this.#current.at) {
      this.#current = { at, minute: emptyMinute() };
      this.#own.set(at, this.#current.minute);
      for (const old of this.#own.keys()) {
        if (old > at - HISTORY_MS) break;
        this.#own.delete(old);
      }
    }
    return this.#current.minute;
  }

  /** One write at a time. */
  #writeAfter(before: () => number): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(before()));
    return this.#writing;
  }

  /** @param before minutes from here on are not over yet */
  async #write(before: number): Promise<void> {
    this.#now();
    const rows = [...this.#own]
      .filter(([at]) => at > this.#writtenUpTo && at < before)
      .map(([at, { servers: _, ...counts }]) => ({
        minute: new Date(at),
        server: this.serverId,
        ...counts,
      }));
    const last = rows.at(-1);
    if (!last) return;
    try {
      await withRetry(() =>
        this.db
          .insert(statusMinutes)
          .values(rows)
          .onConflictDoUpdate({
            target: [statusMinutes.minute, statusMinutes.server],
            set: {
              checksOk: sql`excluded.checks_ok`,
              checksFailed: sql`excluded.checks_failed`,
              latencySumMs: sql`excluded.latency_sum_ms`,
              latencyMaxMs: sql`excluded.latency_max_ms`,
              pings: sql`excluded.pings`,
              announces: sql`excluded.announces`,
            },
          }),
      );
      this.#writtenUpTo = last.minute.getTime();
      const kept = new Date(this.clock() - KEEP_MS);
      await withRetry(() => this.db.delete(statusMinutes).where(lt(statusMinutes.minute, kept)));
    } catch (error) {
      this.log.warn({ err: error }, 'the history of /status waits for the database');
    }
  }

  async #select(since: Date): Promise<Map<number, Minute>> {
    const total = (column: PgColumn) => sql`sum(${column})`.mapWith(Number);
    const rows = await this.db
      .select({
        minute: statusMinutes.minute,
        checksOk: total(statusMinutes.checksOk),
        checksFailed: total(statusMinutes.checksFailed),
        latencySumMs: total(statusMinutes.latencySumMs),
        latencyMaxMs: sql`max(${statusMinutes.latencyMaxMs})`.mapWith(Number),
        pings: total(statusMinutes.pings),
        announces: total(statusMinutes.announces),
        servers: sql`count(*)`.mapWith(Number),
      })
      .from(statusMinutes)
      .where(and(gte(statusMinutes.minute, since), ne(statusMinutes.server, this.serverId)))
      .groupBy(statusMinutes.minute);
    return new Map(rows.map(({ minute, ...counts }) => [minute.getTime(), counts]));
  }
}

const added = (a: Minute, b: Minute): Minute => ({
  checksOk: a.checksOk + b.checksOk,
  checksFailed: a.checksFailed + b.checksFailed,
  latencySumMs: a.latencySumMs + b.latencySumMs,
  latencyMaxMs: Math.max(a.latencyMaxMs, b.latencyMaxMs),
  pings: a.pings + b.pings,
  announces: a.announces + b.announces,
  servers: a.servers + b.servers,
});
