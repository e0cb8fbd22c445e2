import type { Logger } from 'pino';
import type { Db } from '#db/client.ts';
import {
  blockedNodes,
  computes,
  formerKeys,
  hiddenNodes,
  nodeKeys,
  nodeSigners,
  notRejected,
  peers,
  registrations,
  type BlockedRow,
  type ComputeRow,
  type FormerKeyRow,
  type HiddenRow,
  type NodeKeyRow,
  type NodeSignerRow,
  type PeerRow,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { createSignal, type Signal } from '#server/common/rooms.ts';
import { Slices } from '#server/common/slices.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { RecordFormat } from './feed-record.ts';
import type { Feed } from './feed.ts';
import type { VersionedRow } from './live-table.ts';
import { NodeIndex } from './node-index.ts';
import { Replica } from './replica.ts';

/** How often other servers' records are read, milliseconds: another server's ping shows within 2 s. */
const SYNC_MS = 1000;
/** How often they are asked for while the database is unreachable, so that the model catches up soon after it is back. */
const SYNC_RETRY_MS = 250;
/** After this long without an answer from the database the model counts as degraded, milliseconds. */
const DEGRADED_AFTER_MS = 2500;
/** Time between the end of a load and the next, milliseconds: whatever gives cause for them, they do not take over. */
const LOAD_PAUSE_MS = 5000;
/** The tables whose writes {@link LiveModel.record} can leave in the feed. */
interface RecordedRows {
  peers: PeerRow;
  computes: ComputeRow;
  registrations: RegistrationRow;
  blocked_nodes: BlockedRow;
  hidden_nodes: HiddenRow;
  node_keys: NodeKeyRow;
  former_keys: FormerKeyRow;
  node_signers: NodeSignerRow;
}

/** Before the name of a table: the record says which of its rows were deleted. */
const DELETED = 'deleted ';
const decodeDeleted = (body: string): VersionedRow[] =>
  (JSON.parse(body) as [string, number][]).map(([id, rev]) => ({ id, rev }));

/**
 * The read model: all peers and compute offers, and the open and active registrations, in memory. Lists and pages of what
 * is active are served from here, without a query. It loads everything at start, applies what this process commits before
 * the commit is acknowledged, and reads once a second what other servers have written.
 */
export class LiveModel {
  readonly #replicas = {
    // These come first, so that blocked and hidden nodes are never shown, and revoked keys never heard, however briefly.
    blocked_nodes: new Replica<BlockedRow>(blockedNodes),
    hidden_nodes: new Replica<HiddenRow>(hiddenNodes),
    former_keys: new Replica<FormerKeyRow>(formerKeys),
    node_keys: new Replica<NodeKeyRow>(nodeKeys),
    peers: new Replica<PeerRow>(peers),
    // After the heartbeats: one that comes in while this is loaded must not look as if nobody had signed it.
    node_signers: new Replica<NodeSignerRow>(nodeSigners),
    computes: new Replica<ComputeRow>(computes),
    // One that has ended is the database's: anybody can start and cancel any number of them.
    registrations: new Replica<RegistrationRow>(registrations, {
      where: notRejected(registrations.status),
      holds: ({ status }) => status !== 'rejected',
    }),
  };
  readonly peers = this.#replicas.peers.rows;
  readonly computes = this.#replicas.computes.rows;
  readonly registrations = this.#replicas.registrations.rows;
  readonly blocked = this.#replicas.blocked_nodes.rows;
  readonly hidden = this.#replicas.hidden_nodes.rows;
  readonly nodeKeys = this.#replicas.node_keys.rows;
  readonly formerKeys = this.#replicas.former_keys.rows;
  readonly nodeSigners = this.#replicas.node_signers.rows;
  /** What the tables hold of one node. It follows them first, so that other listeners find it up to date. */
  readonly nodes = new NodeIndex(this);

  /** Everything has been loaded for the first time. */
  readonly loaded: Signal<void>;
  /** Everything is about to be loaded again: changes may have been missed. */
  readonly reloading: Signal<void>;

  /** What is done with records that are not of a table, by their source. */
  readonly #otherRecords = new Map<string, (body: string) => void>();
  readonly #alsoRead: (() => Promise<void>)[] = [];
  #loaded = false;
  /** False from when records may have been missed until everything has been loaded again. */
  #complete = false;
  /** When the last load ended, by performance.now(). */
  #loadedAt = -Infinity;
  /** The last moment (ms) at which the model was up to date with the database, and the same by performance.now(). */
  #currentAt = -Infinity;
  #currentSince = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly db: Db,
    private readonly feed: Feed,
    private readonly clock: () => number,
    private readonly log: Logger,
  ) {
    this.loaded = createSignal(log);
    this.reloading = createSignal(log);
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  /**
   * Reads something else with each poll of the database. The model is up to date only if that is, too: a read that
   * fails is repeated with the poll.
   */
  syncWith(read: () => Promise<void>): void {
    this.#alsoRead.push(read);
  }

  /** How far the model may be behind the database, ms. Not by the clock, which may be set. */
  ageMs(): number {
    return performance.now() - this.#currentSince;
  }

  /** True while the database has not answered for a while: the model may be behind it. */
  degraded(): boolean {
    return this.ageMs() > DEGRADED_AFTER_MS;
  }

  /** The moment that an answer made now shows: `now`, or while degraded the last time it was up to date. */
  asOf(now: number): number {
    return this.degraded() ? this.#currentAt : now;
  }

  /** Reads everything, then what other servers write, until `stop()`. */
  async loadAll(): Promise<void> {
    await this.#readOthers();
    await this.#loadTables();
    this.#currentAt = this.clock();
    this.#currentSince = performance.now();
    this.#loaded = true;
    this.loaded.emit();
    this.#schedule(SYNC_MS);
  }

  /**
   * Writes rows into the feed, in the transaction that changes them. Heartbeats and announces are recorded by
   * {@link groupedUpsert}.
   */
  async record<Source extends keyof RecordedRows>(
    tx: Db,
    source: Source,
    rows: RecordedRows[Source][],
  ): Promise<void> {
    const format: RecordFormat<object> = this.#replicas[source].format;
    if (rows.length > 0) await this.feed.record(tx, source, format.encode(rows));
  }

  /** Writes into the feed that rows were deleted, in the transaction that deletes them. */
  async recordDeleted(
    tx: Db,
    source: Exclude<keyof RecordedRows | 'peers' | 'computes' | 'node_signers', 'blocked_nodes'>,
    rows: readonly VersionedRow[],
  ): Promise<void> {
    if (rows.length > 0)
      await this.feed.record(
        tx,
        `${DELETED}${source}`,
        JSON.stringify(rows.map(({ id, rev }) => [id, rev])),
      );
  }

  /** Calls `apply` with each record that another server leaves in the feed under a source that is no table. */
  onRecord(source: string, apply: (body: string) => void): void {
    this.#otherRecords.set(source, apply);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #loadTables(): Promise<void> {
    this.#complete = false;
    await withRetry(() => this.feed.begin());
    if (this.#loaded) {
      this.reloading.emit();
      this.log.warn(
        'loading everything from the database again: it was away, restarted, or failed over',
      );
    }
    const keepReading = async () => {
      if (this.feed.due) await this.#readRecords();
    };
    for (const replica of Object.values(this.#replicas)) await replica.load(this.db, keepReading);
    this.#complete = true;
    this.#loadedAt = performance.now();
  }

  async #readOthers(): Promise<void> {
    await Promise.all(this.#alsoRead.map((read) => read()));
  }

  /** In slices: another server may have written for many nodes at once. @returns whether everything has been read */
  async #readRecords(): Promise<boolean> {
    const slices = new Slices();
    return this.feed.read(({ source, body }) => {
      const deleted = source.startsWith(DELETED);
      const replica = (this.#replicas as Record<string, unknown>)[
        deleted ? source.slice(DELETED.length) : source
      ] as Replica<VersionedRow> | undefined;
      // Other sources have their listeners. A source that only newer servers know has none.
      if (!replica) return this.#otherRecords.get(source)?.(body);
      return deleted
        ? slices.each(decodeDeleted(body), (row) => replica.rows.delete([row]))
        : slices.each(replica.format.decode(body), (row) => replica.rows.apply([row]));
    });
  }

  async #reloadIfNeeded(): Promise<void> {
    if (this.#complete && !this.feed.behind) return;
    if (performance.now() - this.#loadedAt < LOAD_PAUSE_MS) return;
    await this.#loadTables();
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
    const startedSince = performance.now();
    try {
      await this.#reloadIfNeeded();
      await this.#readOthers();
      const all = await this.#readRecords();
      await this.#verifyDoubtful();
      await this.#reloadIfNeeded();
      if (!all) return this.#schedule(0);
      this.#currentAt = startedAt;
      this.#currentSince = startedSince;
      this.#schedule(SYNC_MS);
    } catch {
      // degraded() reports it to /readyz and the metrics. The next poll continues from the same position.
      this.#schedule(SYNC_RETRY_MS);
    }
  }
}
