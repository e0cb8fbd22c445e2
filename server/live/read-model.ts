import { gt, inArray, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '#db/client.ts';
import {
  blockedNodes,
  computes,
  peers,
  registrations,
  type BlockedRow,
  type ComputeRow,
  type PeerRow,
  type RegistrationRow,
} from '#db/schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { Feed } from './feed.ts';
import { modelColumns, RecordFormat } from './feed-record.ts';
import { isSame, LiveTable, type VersionedRow } from './live-table.ts';

/** How often other servers' records are read, milliseconds: another server's ping shows within 2 s. */
const SYNC_MS = 1000;
/** The same while the database is unreachable, so that the model catches up soon after it is back. */
const SYNC_RETRY_MS = 250;
/** After this long without an answer from the database the model counts as degraded, milliseconds. */
const DEGRADED_AFTER_MS = 2500;
/** Rows per statement of the first load: the embedded database blocks the event loop while one runs. */
const LOAD_ROWS = 2000;

type ReplicatedTable = typeof peers | typeof computes | typeof registrations | typeof blockedNodes;

/** Most rows that are verified at once; the others when they come in again. */
const VERIFY_MAX = 1000;
/** Time between the end of a load and the next, milliseconds: whatever gives cause for them, they do not take over. */
const LOAD_PAUSE_MS = 5000;

/** One table of the database and its rows in memory. */
class Replica<Row extends VersionedRow> {
  readonly rows = new LiveTable<Row>();
  readonly format: RecordFormat<Row>;

  constructor(readonly table: ReplicatedTable) {
    this.format = new RecordFormat<Row>(table);
  }

  /**
   * Makes the rows those of the database: removes what it does not have, and takes back what it has lost.
   * @param onPage called after each page of rows
   */
  async load(db: Db, onPage: () => Promise<void>): Promise<void> {
    this.rows.beginLoad();
    let after = '';
    for (;;) {
      const rows = (await withRetry(() =>
        this.#select(db, gt(this.#id, after)).orderBy(this.#id).limit(LOAD_ROWS),
      )) as unknown as Row[];
      this.rows.load(rows);
      await onPage();
      const last = rows.at(-1);
      if (!last || rows.length < LOAD_ROWS) return this.rows.endLoad();
      after = last.id;
    }
  }

  /** Whether the database holds an older version of a doubtful row than we do, or another one of the same age. */
  async hasLostRows(db: Db): Promise<boolean> {
    const doubtful = this.rows.takeDoubtful().slice(0, VERIFY_MAX);
    if (doubtful.length === 0) return false;
    // As held before the database is asked: it knows at least these versions, unless it has lost them.
    const held = new Map(doubtful.map((id) => [id, this.rows.get(id)]));
    const stored = (await this.#select(db, inArray(this.#id, doubtful))) as unknown as Row[];
    return stored.some((row) => {
      const ours = held.get(row.id);
      return ours && (row.rev < ours.rev || (row.rev === ours.rev && !isSame(row, ours)));
    });
  }

  get #id(): PgColumn {
    return this.table.id;
  }

  #select(db: Db, where: SQL) {
    const columns = modelColumns(this.table) as Record<string, PgColumn>;
    return db
      .select(columns)
      .from(this.table as typeof peers)
      .where(where)
      .$dynamic();
  }
}

/**
 * The read model: all peers, compute offers and registrations in memory. Reads are served from here, never
 * by a query per request. It loads everything at start, applies what this process commits before the
 * commit is acknowledged, and reads once a second what other servers have written.
 */
export class LiveModel {
  readonly #replicas = {
    // Blocks come first, so that blocked nodes are never shown, however briefly.
    blocked_nodes: new Replica<BlockedRow>(blockedNodes),
    peers: new Replica<PeerRow>(peers),
    computes: new Replica<ComputeRow>(computes),
    registrations: new Replica<RegistrationRow>(registrations),
  };
  readonly peers = this.#replicas.peers.rows;
  readonly computes = this.#replicas.computes.rows;
  readonly registrations = this.#replicas.registrations.rows;
  readonly blocked = this.#replicas.blocked_nodes.rows;

  #loaded = false;
  /** False from when records may have been missed until everything has been loaded again. */
  #complete = false;
  /** When the last load ended, by performance.now(). */
  #loadedAt = -Infinity;
  /** The last moment (ms) at which the model was up to date with the database. */
  #currentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly db: Db,
    private readonly feed: Feed,
    private readonly clock: () => number,
    private readonly hooks: {
      /** Called with each poll of the database. */
      onSync: () => Promise<void>;
      /** Called when everything is about to be loaded again. */
      onReload: () => void;
    },
  ) {}

  get loaded(): boolean {
    return this.#loaded;
  }

  /** True if no other process writes: the model is never behind the database. */
  get alone(): boolean {
    return this.feed.alone;
  }

  /** How far the model may be behind the database, ms. */
  ageMs(now: number): number {
    return this.alone ? 0 : Math.max(0, now - this.#currentAt);
  }

  /** True while the database has not answered for a while: the model may be behind it. */
  degraded(now: number): boolean {
    return this.ageMs(now) > DEGRADED_AFTER_MS;
  }

  /** The moment that an answer made now shows: `now`, or while degraded the last time it was up to date. */
  asOf(now: number): number {
    return this.degraded(now) ? this.#currentAt : now;
  }

  /** Whether reviewers have blocked the node: its rows are stored but not shown. */
  isBlocked(nodeId: string): boolean {
    return this.blocked.get(nodeId)?.liftedAt === null;
  }

  /** Reads everything, then what other servers write, until `stop()`. */
  async load(): Promise<void> {
    await this.hooks.onSync();
    await this.#loadAll();
    this.#currentAt = this.clock();
    this.#loaded = true;
    if (!this.alone) this.#schedule(SYNC_MS);
  }

  /**
   * Writes rows of registrations or blocked nodes into the feed, in the transaction that changes them.
   * Heartbeats and announces are recorded by {@link groupedUpsert}.
   */
  async record<Source extends 'registrations' | 'blocked_nodes'>(
    tx: Db,
    source: Source,
    rows: (Source extends 'registrations' ? RegistrationRow : BlockedRow)[],
  ): Promise<void> {
    const format: RecordFormat<object> = this.#replicas[source].format;
    if (rows.length > 0) await this.feed.record(tx, source, format.encode(rows));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #loadAll(): Promise<void> {
    this.#complete = false;
    if (!this.alone) await withRetry(() => this.feed.begin());
    const keepReading = async () => {
      if (!this.alone && this.feed.due) await this.#readRecords();
    };
    for (const replica of Object.values(this.#replicas)) await replica.load(this.db, keepReading);
    this.#complete = true;
    this.#loadedAt = performance.now();
  }

  async #readRecords(): Promise<void> {
    await withRetry(() =>
      this.feed.read(({ source, body }) => {
        const replica = (this.#replicas as Record<string, unknown>)[source] as
          Replica<VersionedRow> | undefined;
        // None: a table that a newer server knows.
        replica?.rows.apply(replica.format.decode(body));
      }),
    );
  }

  async #reloadIfNeeded(): Promise<void> {
    if (this.#complete && !this.feed.behind) return;
    if (performance.now() - this.#loadedAt < LOAD_PAUSE_MS) return;
    this.hooks.onReload();
    await this.#loadAll();
  }

  /**
   * Compares rows of which older versions came in with the database. Mostly those came late. If the database holds an
   * older version than we do, it has lost writes, and everything is loaded again.
   */
  async #verifyDoubtful(): Promise<void> {
    for (const replica of Object.values(this.#replicas))
      if (await withRetry(() => replica.hasLostRows(this.db))) this.#complete = false;
  }

  #schedule(delay: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#sync(), delay).unref();
  }

  async #sync(): Promise<void> {
    const startedAt = this.clock();
    try {
      await this.#reloadIfNeeded();
      await this.hooks.onSync();
      await this.#readRecords();
      await this.#verifyDoubtful();
      await this.#reloadIfNeeded();
      this.#currentAt = startedAt;
      this.#schedule(SYNC_MS);
    } catch {
      // degraded() reports it to /readyz and the metrics. The next poll continues from the same position.
      this.#schedule(SYNC_RETRY_MS);
    }
  }
}
