import { and, gt, ne, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/client.ts';
import { STATEMENT_TIMEOUT_MS } from '#db/timeout.ts';
import { withRetry } from '#server/common/with-retry.ts';
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
import { LiveTable } from './live-table.ts';

/**
 * The read model: every peer, compute and registration in memory. Reads come from here, never from a
 * query per request. It is loaded whole at start, takes over what this process commits before the
 * commit is acknowledged, and follows what other processes write by asking once a second.
 */

/** How often other processes' writes are read, milliseconds: another server's ping shows within 2 s. */
const SYNC_MS = 1000;
/** The same while the database is away: what it missed is there soon after it is back. */
const SYNC_RETRY_MS = 250;
/**
 * A row carries the moment its transaction began, and is seen only when that has committed: rows this
 * much older than the newest one seen may still turn up. Heartbeats are single statements; the
 * transactions of the others have up to eight, and their rows are few.
 */
const HEARTBEAT_OVERLAP_MS = STATEMENT_TIMEOUT_MS + 2000;
const TRANSACTION_OVERLAP_MS = 10 * STATEMENT_TIMEOUT_MS;
/** Without word from the database for this long, the model says that it is degraded (ms). */
const DEGRADED_AFTER_MS = 2500;
/** Rows per statement of the first load: the embedded database blocks the event loop while one runs. */
const LOAD_ROWS = 2000;

type Followed = typeof peers | typeof computes | typeof registrations | typeof blockedNodes;

export class LiveModel {
  readonly peers = new LiveTable<PeerRow>();
  readonly computes = new LiveTable<ComputeRow>();
  readonly registrations = new LiveTable<RegistrationRow>();
  readonly blocked = new LiveTable<BlockedRow>();

  #loaded = false;
  /** The last moment at which the model was level with the database. */
  #levelAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #marks = new Map<Followed, Date>();
  /** The losses of the database that have been looked into, and until when what they left may still be committed (ms). */
  #losses = 0;
  #doubtUntil = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly serverId: string,
    private readonly clock: () => number,
  ) {}

  get loaded(): boolean {
    return this.#loaded;
  }

  /** True where no other process writes: the model is never behind the database. */
  get alone(): boolean {
    return this.database.embedded;
  }

  /** How far the model may be behind the database, ms. */
  ageMs(now: number): number {
    return this.alone ? 0 : Math.max(0, now - this.#levelAt);
  }

  /** True while the database has not been heard of for a while: the model may be behind it. */
  degraded(now: number): boolean {
    return this.ageMs(now) > DEGRADED_AFTER_MS;
  }

  /** The moment that an answer made now shows: now, or while degraded the last one that was level. */
  asOf(now: number): number {
    return this.degraded(now) ? this.#levelAt : now;
  }

  /** Whether reviewers have blocked the node: its rows are kept, and nothing shows them. */
  isBlocked(nodeId: string): boolean {
    return this.blocked.get(nodeId)?.liftedAt === null;
  }

  /** Reads everything, and from then on follows the other processes until `stop()`. */
  async load(): Promise<void> {
    // First: what is blocked is not shown for a moment either.
    await this.#loadAll(blockedNodes, this.blocked);
    await this.#loadAll(peers, this.peers);
    await this.#loadAll(computes, this.computes);
    await this.#loadAll(registrations, this.registrations);
    this.#levelAt = this.clock();
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
    const losses = this.database.lostConnections();
    const lost = losses !== this.#losses;
    const own = lost || performance.now() < this.#doubtUntil;
    try {
      await withRetry(async () => {
        await this.#loadChanges(blockedNodes, this.blocked, own);
        await this.#loadChanges(peers, this.peers, own);
        await this.#loadChanges(computes, this.computes, own);
        await this.#loadChanges(registrations, this.registrations, own);
      });
      this.#levelAt = startedAt;
      this.#losses = losses;
      if (lost) this.#doubtUntil = performance.now() + HEARTBEAT_OVERLAP_MS;
      this.#schedule(SYNC_MS);
    } catch {
      // degraded() tells; /readyz and the metrics show it. What was missed lies after the marks.
      this.#schedule(SYNC_RETRY_MS);
    }
  }

  async #loadAll<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: Followed,
    live: LiveTable<Row>,
  ): Promise<void> {
    let after = '';
    for (;;) {
      const rows = await this.#select<Row>(table, gt(table.id as PgColumn, after), LOAD_ROWS);
      this.#take(table, live, rows);
      const last = rows.at(-1);
      if (!last || rows.length < LOAD_ROWS) return;
      after = last.id;
    }
  }

  async #loadChanges<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: Followed,
    live: LiveTable<Row>,
    own: boolean,
  ): Promise<void> {
    const overlap =
      table === peers || table === computes ? HEARTBEAT_OVERLAP_MS : TRANSACTION_OVERLAP_MS;
    const mark = this.#marks.get(table)?.getTime();
    const since = new Date(mark === undefined ? 0 : mark - overlap);
    this.#take(
      table,
      live,
      await this.#select<Row>(
        table,
        and(gt(table.writtenAt, since), own ? undefined : ne(table.writtenBy, this.serverId)),
      ),
    );
  }

  #take<Row extends { id: string; rev: number; writtenAt: Date }>(
    table: Followed,
    live: LiveTable<Row>,
    rows: Row[],
  ): void {
    live.apply(rows);
    let mark = this.#marks.get(table);
    for (const { writtenAt } of rows) if (!mark || writtenAt > mark) mark = writtenAt;
    if (mark) this.#marks.set(table, mark);
  }

  async #select<Row>(table: Followed, where: SQL | undefined, limit?: number): Promise<Row[]> {
    const query = this.database.db
      .select()
      .from(table as typeof peers)
      .where(where)
      .orderBy(table.id);
    return (await (limit === undefined ? query : query.limit(limit))) as unknown as Row[];
  }
}
