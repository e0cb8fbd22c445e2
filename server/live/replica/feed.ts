import { and, eq, lt, lte, ne, notInArray, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { feed } from '#db/schema/index.ts';
import type { Repeated } from '#server/common/rooms.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { FeedPosition, GIVE_UP_MS, MISSING_MAX } from './feed-position.ts';

/** How long a record stays for others to read, milliseconds. */
const KEEP_MS = 20_000;
/** Records of a server that are read by one statement: of up to 1000 rows each. */
const RECORDS_MAX = 100;
/** So often one `read` asks for more, before other work has its turn. */
const ROUNDS_MAX = 10;
/** A reader that has not read for this long may have missed records, milliseconds. */
const BEHIND_MS = KEEP_MS - 5000;
/** How often a server deletes its own old records, milliseconds. */
const TRIM_MS = 5000;
/** When records of a server that is gone are deleted, milliseconds: none of its groups is still to commit. */
const DEAD_MS = GIVE_UP_MS + 60_000;
const DEAD_TRIM_MS = 60_000;
const TRIM_FAILED = 'could not delete old records of the feed';

/** A record as read: what another server has written. */
export interface FeedRecord {
  source: string;
  body: string;
}

/**
 * The servers' feed of what they have written, in the database. Each committed group of rows leaves one record, and
 * each server reads the others' records once a second. No clock decides what is read: see {@link FeedPosition}.
 */
export class Feed {
  /** The number of the last record of this server. */
  #number = 0;
  /** Our own groups whose commit was not acknowledged: they may be in the database nevertheless. */
  readonly #own = new FeedPosition();
  readonly #others = new Map<string, FeedPosition>();
  /** The run of the database server from which everything was loaded: another one may have lost writes. */
  #run: string | undefined;
  #historyChanged = false;
  #readAt = -Infinity;
  /** When it was read by the wall clock, which goes on while a machine is suspended. */
  #readAtWall = -Infinity;
  /** What `#number` was at the last trims, oldest first. */
  #marks: { number: number; at: number }[] = [];
  /** Deletes records that every server has read. */
  readonly repeats: readonly Repeated[] = [
    { ms: TRIM_MS, failure: TRIM_FAILED, work: () => this.#trimOwn() },
    { ms: DEAD_TRIM_MS, failure: TRIM_FAILED, work: () => this.#trimDead() },
  ];
  readonly #read: ReturnType<typeof prepareRead>;

  constructor(
    private readonly db: Db,
    readonly serverId: string,
    /** The tables of heartbeats are spread over several servers by Citus. */
    readonly distributed: boolean,
  ) {
    this.#read = prepareRead(db, serverId);
  }

  /** The number for the record of one attempt to commit a group. Never used twice. */
  next(): number {
    return ++this.#number;
  }

  /** Call when an attempt has failed: if its group was committed after all, it is read like another server's. */
  uncertain(number: number): void {
    this.#own.expect(number, performance.now());
  }

  /** Adds a record of rows to the transaction that writes them. */
  async record(tx: Db, source: string, body: string): Promise<void> {
    const number = this.next();
    // Whether the transaction commits is not known here; a number of our own that never appears costs a probe.
    this.uncertain(number);
    await tx.insert(feed).values({ server: this.serverId, n: number, source, body });
  }

  /**
   * Takes the position from which `read` continues. Call before loading the tables: whatever is committed later is in
   * a record still to be read.
   */
  async begin(): Promise<void> {
    const now = performance.now();
    const present = await this.db
      .select({ server: feed.server, n: feed.n, run: RUN })
      .from(ONE)
      .leftJoin(feed, ne(feed.server, this.serverId))
      .orderBy(feed.server, feed.n);
    this.#others.clear();
    for (const { server, n, run } of present) {
      this.#run = run;
      if (server !== null && n !== null) this.#position(server).accept(n, now);
    }
    this.#historyChanged = false;
    this.#markRead(now);
  }

  /**
   * Whether this server must load everything again: records may have been deleted before it read them, or the database
   * may have lost some that it has read.
   */
  get behind(): boolean {
    if (this.#historyChanged || this.#idleMs() > BEHIND_MS) return true;
    for (const position of this.#others.values())
      if (position.missingCount > MISSING_MAX) return true;
    return false;
  }

  /** Whether the next read is due although a long load is still going on: records are deleted meanwhile. */
  get due(): boolean {
    return this.#idleMs() > BEHIND_MS / 3;
  }

  /**
   * Applies the records that have been committed since, each one once: those of a server in their order, one after the
   * other. Only one call at a time.
   * @returns whether these were all: of a server that writes as fast as we read, there are always more
   * @throws AppError `unavailable`
   */
  async read(apply: (record: FeedRecord) => void | Promise<void>): Promise<boolean> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const startedAt = performance.now();
      const records = await withRetry(() => this.#fetch(startedAt));
      this.#markRead(startedAt);
      const found = new Map<string, number>();
      for (const { run, server, n, ...record } of records) {
        if (run !== this.#run) this.#historyChanged = true;
        if (server === null) continue;
        found.set(server, (found.get(server) ?? 0) + 1);
        const position = server === this.serverId ? this.#own : this.#position(server);
        if (position.accept(Number(n), startedAt)) await apply(record);
      }
      // Of a server with so many there may be more.
      if (Math.max(0, ...found.values()) < RECORDS_MAX) return true;
    }
    return false;
  }

  #fetch(now: number) {
    const wanted = [...this.#others, [this.serverId, this.#own] as const].flatMap(
      ([server, position]) => position.wanted(now).map((n) => ({ server, n })),
    );
    return this.#read.execute({
      servers: [...this.#others.keys()],
      tops: [...this.#others.values()].map(({ top }) => top),
      wantedServers: wanted.map(({ server }) => server),
      wantedNumbers: wanted.map(({ n }) => n),
    });
  }

  async #trimOwn(): Promise<void> {
    const now = performance.now();
    const until = this.#marks.findLast(({ at }) => at <= now - KEEP_MS);
    this.#marks = this.#marks.filter(({ at }) => at > now - KEEP_MS);
    this.#marks.push({ number: this.#number, at: now });
    if (!until) return;
    // One that commits late must stay for the others.
    const late = this.#own.missing();
    await this.db
      .delete(feed)
      .where(
        and(
          eq(feed.server, this.serverId),
          lte(feed.n, until.number),
          late.length > 0 ? notInArray(feed.n, late) : undefined,
        ),
      );
  }

  async #trimDead(): Promise<void> {
    await this.db
      .delete(feed)
      .where(
        and(
          ne(feed.server, this.serverId),
          lt(feed.at, sql`now() - ${`${DEAD_MS} milliseconds`}::interval`),
        ),
      );
  }

  /** @param at the moment by performance.now() */
  #markRead(at: number): void {
    this.#readAt = at;
    this.#readAtWall = Date.now() - (performance.now() - at);
  }

  #idleMs(): number {
    return Math.max(performance.now() - this.#readAt, Date.now() - this.#readAtWall);
  }

  #position(server: string): FeedPosition {
    let position = this.#others.get(server);
    if (!position) this.#others.set(server, (position = new FeedPosition()));
    return position;
  }
}

/**
 * Identifies a run of the database server, on every service, through every pooler and without privileges. A restart
 * that loses nothing changes it as well; that costs one load.
 */
const RUN = sql<string>`pg_postmaster_start_time()::text`;
const ONE = sql`(values (1)) as one`;

/**
 * Everything beyond the tops, of servers that were not known before too, and the wanted records. Finding the servers
 * takes one probe of the primary key for each.
 */
function prepareRead(db: Db, serverId: string) {
  const column = sql.placeholder;
  return db
    .select({
      run: RUN,
      /** Null if there is nothing to read. */
      server: sql<string | null>`r.server`,
      n: sql<string>`r.n`,
      source: sql<string>`r.source`,
      body: sql<string>`r.body`,
    })
    .from(
      sql`${ONE} left join (
        with recursive servers(server) as (
          (select server from feed order by server limit 1)
          union all
          select (select f.server from feed f where f.server > s.server order by f.server limit 1)
          from servers s where s.server is not null
        ), known(server, top) as (
          select * from unnest(${column('servers')}::text[], ${column('tops')}::bigint[])
        )
        select f.* from servers s left join known k on k.server = s.server cross join lateral (
          select * from feed f where f.server = s.server and f.n > coalesce(k.top, 0) order by f.n
          limit ${RECORDS_MAX}
        ) f
        where s.server <> ${serverId}
        union all
        select f.* from unnest(${column('wantedServers')}::text[], ${column('wantedNumbers')}::bigint[]) w(server, n)
        join feed f on f.server = w.server and f.n = w.n
      ) r on true`,
    )
    .prepare('read_feed');
}
