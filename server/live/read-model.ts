import { and, gt, ne, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/client.ts';
import { STATEMENT_TIMEOUT_MS } from '#db/timeout.ts';
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
import { LiveTable } from './live-table.ts';

/** How often other processes' writes are read, milliseconds: another server's ping shows within 2 s. */
const SYNC_MS = 1000;
/** The same while the database is unreachable, so that the model catches up soon after it is back. */
const SYNC_RETRY_MS = 250;
/**
 * A row is stamped with the start of its transaction but visible only after the commit, so rows this much
 * older than the newest one read may still appear. Heartbeats are single statements; other transactions
 * have up to eight, and few rows.
 */
const HEARTBEAT_OVERLAP_MS = STATEMENT_TIMEOUT_MS + 2000;
const TRANSACTION_OVERLAP_MS = 10 * STATEMENT_TIMEOUT_MS;
/** After this long without an answer from the database the model counts as degraded, milliseconds. */
const DEGRADED_AFTER_MS = 2500;
/** Rows per statement of the first load: the embedded database blocks the event loop while one runs. */
const LOAD_ROWS = 2000;

type ReplicatedTable = typeof peers | typeof computes | typeof registrations | typeof blockedNodes;

/**
 * The read model: all peers, compute offers and registrations in memory. Reads are served from here, never
 * by a query per request. It loads everything at start, applies what this process commits before the
 * commit is acknowledged, and polls once a second for what other processes have written.
 */
export class LiveModel {
  readonly peers = new LiveTable<PeerRow>();
  readonly computes = new LiveTable<ComputeRow>();
  readonly registrations = new LiveTable<RegistrationRow>();
  readonly blocked = new LiveTable<BlockedRow>();

  #loaded = false;
  /** The last moment (ms) at which the model was up to date with the database. */
  #currentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** For each table, the newest `writtenAt` that was read. */
  readonly #marks = new Map<ReplicatedTable, Date>();
  /** Lost connections already handled, and until when (ms) their last writes may still be committed. */
  #lostConnections = 0;
  #uncertainUntil = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly serverId: string,
    private readonly clock: () => number,
  ) {}

  get loaded(): boolean {
    return this.#loaded;
  }

  /** True if no other process writes: the model is never behind the database. */
  get alone(): boolean {
    return this.database.embedded;
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

  /** Reads everything, then polls for other processes' writes until `stop()`. */
  async load(): Promise<void> {
    // Blocks come first, so that blocked nodes are never shown, however briefly.
    await this.#loadAll(blockedNodes, this.blocked);
    await this.#loadAll(peers, this.peers);
    await this.#loadAll(computes, this.computes);
    await this.#loadAll(registrations, this.registrations);
    this.#currentAt = this.clock();
    this.#loaded = true;
    if (!this.alone) this.#schedule(SYNC_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delay: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#sync(), delay).unref();
  }

  async #sync(): Promise<void> {
    const startedAt = this.clock();
    // A write of ours whose connection was lost may have been committed without our knowing.
    const lostConnections = this.database.lostConnections();
    const lost = lostConnections !== this.#lostConnections;
    const includeOwn = lost || performance.now() < this.#uncertainUntil;
    try {
      await withRetry(async () => {
        await this.#loadChanges(blockedNodes, this.blocked, includeOwn);
        await this.#loadChanges(peers, this.peers, includeOwn);
        await this.#loadChanges(computes, this.computes, includeOwn);
        await this.#loadChanges(registrations, this.registrations, includeOwn);
      });
      this.#currentAt = startedAt;
      this.#lostConnections = lostConnections;
      if (lost) this.#uncertainUntil = performance.now() + HEARTBEAT_OVERLAP_MS;
      this.#schedule(SYNC_MS);
    } catch {
      // degraded() reports it to /readyz and the metrics. The next poll continues from the same marks.
      this.#schedule(SYNC_RETRY_MS);
    }
  }

  async #loadAll<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: ReplicatedTable,
    live: LiveTable<Row>,
  ): Promise<void> {
    let after = '';
    for (;;) {
      const rows = await this.#select<Row>(table, gt(table.id as PgColumn, after), LOAD_ROWS);
      this.#apply(table, live, rows);
      const last = rows.at(-1);
      if (!last || rows.length < LOAD_ROWS) return;
      after = last.id;
    }
  }

  async #loadChanges<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: ReplicatedTable,
    live: LiveTable<Row>,
    includeOwn: boolean,
  ): Promise<void> {
    const overlap =
      table === peers || table === computes ? HEARTBEAT_OVERLAP_MS : TRANSACTION_OVERLAP_MS;
    const mark = this.#marks.get(table)?.getTime();
    const since = new Date(mark === undefined ? 0 : mark - overlap);
    this.#apply(
      table,
      live,
      await this.#select<Row>(
        table,
        and(
          gt(table.writtenAt, since),
          includeOwn ? undefined : ne(table.writtenBy, this.serverId),
        ),
      ),
    );
  }

  #apply<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: ReplicatedTable,
    live: LiveTable<Row>,
    rows: Row[],
  ): void {
    live.apply(rows);
    let mark = this.#marks.get(table);
    for (const { writtenAt } of rows) if (!mark || writtenAt > mark) mark = writtenAt;
    if (mark) this.#marks.set(table, mark);
  }

  async #select<Row>(
    table: ReplicatedTable,
    where: SQL | undefined,
    limit?: number,
  ): Promise<Row[]> {
    const query = this.database.db
      .select()
      .from(table as typeof peers)
      .where(where)
      .orderBy(table.id);
    return (await (limit === undefined ? query : query.limit(limit))) as unknown as Row[];
  }
}
