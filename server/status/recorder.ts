import { and, gte, lt, ne, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { Logger } from 'pino';
import { recordFrom } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { statusMinutes } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { GenesisHealth } from '#server/mesh/index.ts';

export const MINUTE_MS = 60_000;
/** How much is shown, and kept in memory. */
export const HISTORY_MS = 24 * 60 * MINUTE_MS;
/** Rows older than this are deleted: an hour later than shown, for servers whose clocks differ. */
const KEEP_MS = HISTORY_MS + 60 * MINUTE_MS;
/** Other processes' minutes are read on request, at most this often (ms). */
const READ_EVERY_MS = 5000;

/** What is counted in a minute, each in its column. Latencies (ms) are those of the successful checks. */
const COUNTS = [
  'checksOk',
  'checksFailed',
  'latencySumMs',
  'latencyMaxMs',
  'pings',
  'announces',
] as const;

/** What was counted in a minute, by how many processes. */
export type Minute = Record<(typeof COUNTS)[number] | 'servers', number>;

/** Minutes by their start (ms). A minute in which no process ran is missing. */
export type Minutes = ReadonlyMap<number, Readonly<Minute>>;

/** The start (ms) of the minute that contains a moment (ms). */
export const minuteOf = (moment: number) => moment - (moment % MINUTE_MS);

const emptyMinute = (): Minute => ({ ...recordFrom(COUNTS, () => 0), servers: 1 });

/**
 * The history of /status: what happened in each minute of the last day, over all server processes.
 * Counting adds to a number in memory. Each process writes its row of a minute once, when the minute ends
 * or the process stops; a crash loses the current minute. While the database is unreachable the minutes
 * wait in memory, for at most a day.
 */
export class StatusRecorder {
  /** The minutes of this process, oldest first: complete, so its own rows are never read back. */
  readonly #own = new Map<number, Minute>();
  #latest = { at: -Infinity, minute: emptyMinute() };
  /** The last minute of this process that is completely written. */
  #writtenUpTo = -Infinity;
  #writing = Promise.resolve();
  /** The minutes of all other processes, including earlier ones. */
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

  /** Counts committed heartbeats. */
  pings(count: number): void {
    this.#current().pings += count;
  }

  /** Counts committed announcements. */
  announces(count: number): void {
    this.#current().announces += count;
  }

  /** Counts a finished check of Genesis. */
  genesis({ status, latencyMs }: GenesisHealth): void {
    const minute = this.#current();
    if (status !== 'online') {
      minute.checksFailed++;
      return;
    }
    minute.checksOk++;
    minute.latencySumMs += latencyMs ?? 0;
    minute.latencyMaxMs = Math.max(minute.latencyMaxMs, latencyMs ?? 0);
  }

  /** Starts writing each minute as it ends. */
  start(): void {
    this.#current();
    const next = () => {
      if (this.#stopped) return;
      const rest = MINUTE_MS - (this.clock() % MINUTE_MS);
      this.#timer = setTimeout(() => void this.write().then(next), rest).unref();
    };
    next();
  }

  /** Stops, and writes the current minute. Nothing may be counted afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#writeAfter(() => Infinity);
  }

  /** Writes the minutes that have ended, and deletes old ones. Never rejects: a failed write is repeated with the next. */
  write(): Promise<void> {
    return this.#writeAfter(() => minuteOf(this.clock()));
  }

  /** Reads other processes' minutes. Concurrent calls share one query; a failed one keeps the earlier result. */
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

  /** The minutes of the last day over all processes, oldest first, including the current one. */
  minutes(): Minutes {
    const since = minuteOf(this.clock()) - HISTORY_MS;
    const sum = new Map<number, Minute>();
    for (const minutes of [this.#others, this.#own])
      for (const [at, minute] of minutes) {
        const other = sum.get(at);
        if (at > since) sum.set(at, other ? add(minute, other) : minute);
      }
    return new Map([...sum].sort(([a], [b]) => a - b));
  }

  /** The current minute. If the clock is set back, the latest minute continues: a written row must not shrink. */
  #current(): Minute {
    const at = minuteOf(this.clock());
    if (at > this.#latest.at) {
      this.#latest = { at, minute: emptyMinute() };
      this.#own.set(at, this.#latest.minute);
      for (const old of this.#own.keys()) {
        if (old > at - HISTORY_MS) break;
        this.#own.delete(old);
      }
    }
    return this.#latest.minute;
  }

  /** One write at a time. */
  #writeAfter(before: () => number): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(before()));
    return this.#writing;
  }

  /** @param before minutes from here on (ms) have not ended */
  async #write(before: number): Promise<void> {
    this.#current();
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
            set: recordFrom(COUNTS, (name) => sql.raw(`excluded.${toSnakeCase(name)}`)),
          }),
      );
      this.#writtenUpTo = last.minute.getTime();
      const oldest = new Date(this.clock() - KEEP_MS);
      await withRetry(() => this.db.delete(statusMinutes).where(lt(statusMinutes.minute, oldest)));
    } catch (error) {
      this.log.warn({ err: error }, 'could not write the status history, will retry');
    }
  }

  async #select(since: Date): Promise<Map<number, Minute>> {
    const rows = await this.db
      .select({
        minute: statusMinutes.minute,
        ...recordFrom(COUNTS, (name) => sql`sum(${statusMinutes[name]})`.mapWith(Number)),
        latencyMaxMs: sql`max(${statusMinutes.latencyMaxMs})`.mapWith(Number),
        servers: sql`count(*)`.mapWith(Number),
      })
      .from(statusMinutes)
      .where(and(gte(statusMinutes.minute, since), ne(statusMinutes.server, this.serverId)))
      .groupBy(statusMinutes.minute);
    return new Map(rows.map(({ minute, ...counts }) => [minute.getTime(), counts]));
  }
}

const add = (a: Minute, b: Minute): Minute => ({
  ...recordFrom(COUNTS, (name) => a[name] + b[name]),
  latencyMaxMs: Math.max(a.latencyMaxMs, b.latencyMaxMs),
  servers: a.servers + b.servers,
});
