import { and, asc, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import { OUTAGE_AFTER_MS, OUTAGE_KEPT_MS } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { isTransient } from '#db/connection/errors.ts';
import { outages, outageWatch, type OutageRow } from '#db/schema/index.ts';
import type { Expired } from '#server/common/rooms.ts';
import { Slices } from '#server/common/slices.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';

/** How often the watching server looks at all nodes, milliseconds. */
const ROUND_MS = 15_000;
/** Outages per transaction, and rows per statement. */
const BATCH = 500;
/** A node that sent a heartbeat within this time is heard, milliseconds. */
const HEARD_MS = 60_000;
/** If at least so many nodes fall silent together and no other is heard, it is the service that hears nobody. */
const TOGETHER = 10;
/** Rounds over which "together" is judged. */
const ROUNDS_KEPT = 8;
/** Outages that are read at once. */
const READ_MAX = 50;
/** Longest pause between two rounds that still counts as watching, milliseconds. A longer one ends the lease. */
const LEASE_MS = 45_000;

const ID = 'outages';
const NOBODY = '';

/** When nodes fell silent and were heard again. */
export function createOutages(context: ServiceContext, observer: OutageObserver) {
  const watch = new OutageWatch(context, observer);
  // Outages that last have no end yet: they stay.
  const expired: Expired[] = [
    [outages, (now) => lt(outages.backAt, new Date(now - OUTAGE_KEPT_MS))],
  ];
  return {
    expired,
    /** The latest outages of a node, at most 50, the newest first. Asks the database. @throws AppError `unavailable` */
    ofNode: (nodeId: string): Promise<OutageRow[]> =>
      withRetry(() =>
        context.db
          .select()
          .from(outages)
          .where(eq(outages.nodeId, nodeId))
          .orderBy(desc(outages.offlineSince))
          .limit(READ_MAX),
      ),
    /** Looks for outages now. Also runs by itself. */
    round: () => watch.round(),
    start: () => watch.start(),
    stop: () => watch.stop(),
  };
}

/** What follows outages, in the transaction that stores them. */
interface OutageObserver {
  began: (tx: Db, outages: OutageRow[]) => Promise<void>;
  ended: (tx: Db, outages: OutageRow[]) => Promise<void>;
}

/**
 * Records when nodes fall silent and when they are heard again. Any number of servers may run it; one of them watches.
 * It never blames a node for what the service did not hear: silence counts from when heartbeats could be heard.
 */
class OutageWatch {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Outages that have not ended, by node; null: not known, another server watches. */
  #open: Map<string, OutageRow> | null = null;
  /** How many nodes were heard in the last rounds, the newest last. */
  #heard: number[] = [];
  /** Nodes that have been removed, and whose outages may be stored nevertheless. */
  readonly #removed = new Set<string>();

  constructor(
    private readonly context: ServiceContext,
    private readonly observer: OutageObserver,
  ) {
    context.live.peers.follow({
      changed: () => undefined,
      removed: ({ id }) => this.#removed.add(id),
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.round(), ROUND_MS).unref();
    void this.round();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
    if (this.#open) await releaseLease(this.context).catch(() => undefined);
  }

  /** Looks at all nodes once, if no other server watches. Also runs by itself. */
  round(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return (this.#running ??= this.#round()
      .catch((error: unknown) => {
        // What is open is read again: a write may or may not have been committed.
        this.#open = null;
        this.context.log.warn({ err: error }, 'could not record outages');
      })
      .finally(() => (this.#running = undefined)));
  }

  async #round(): Promise<void> {
    const now = this.context.clock();
    const measuringSince = await takeLease(this.context, now);
    if (measuringSince === null) {
      this.#open = null;
      this.#heard = [];
      this.#removed.clear();
      return;
    }
    if (this.context.live.degraded()) return;
    const open = (this.#open ??= await this.#readOpen());
    await this.#forget(open);
    const { began, ended, heard } = await survey(this.context, open, measuringSince, now);
    if (this.#hearsNobody(heard)) return restartMeasuring(this.context, now);
    await this.#each(ended, (some) => this.#end(some, open));
    await this.#each(began, (some) => this.#begin(some, open));
  }

  /** Writes outages in groups. One that the database refuses does not hold up the others: the next round tries it again. */
  async #each(rows: OutageRow[], write: (some: OutageRow[]) => Promise<void>): Promise<void> {
    for (const some of batches(rows)) {
      if (this.#stopped || !this.#open) return;
      try {
        await write(some.sort(byNode));
      } catch (error) {
        if (isTransient(error)) throw error;
        this.context.log.warn({ err: error }, 'could not record some outages, will retry');
      }
    }
  }

  /** A proxy in front of the service may be down: that many nodes do not leave at once. */
  #hearsNobody(heard: number): boolean {
    if (heard === 0 && Math.max(0, ...this.#heard) >= TOGETHER) return true;
    this.#heard = [...this.#heard, heard].slice(-ROUNDS_KEPT);
    return false;
  }

  async #readOpen(): Promise<Map<string, OutageRow>> {
    const open = new Map<string, OutageRow>();
    for (let after = ''; ;) {
      const rows = await this.context.db
        .select()
        .from(outages)
        .where(and(isNull(outages.backAt), gt(outages.nodeId, after)))
        .orderBy(asc(outages.backAt), asc(outages.nodeId))
        .limit(BATCH);
      for (const row of rows) open.set(row.nodeId, row);
      const last = rows.at(-1);
      if (!last || rows.length < BATCH) return open;
      after = last.nodeId;
    }
  }

  async #begin(rows: OutageRow[], open: Map<string, OutageRow>): Promise<void> {
    const stored = await this.#write(async (tx) => {
      // One that is there already stays: a commit may not have been acknowledged.
      const stored = await tx.insert(outages).values(rows).onConflictDoNothing().returning();
      await this.observer.began(tx, stored);
      return stored;
    });
    for (const row of stored) open.set(row.nodeId, row);
  }

  async #end(rows: OutageRow[], open: Map<string, OutageRow>): Promise<void> {
    await this.#write(async (tx) => {
      const ended = await tx
        .insert(outages)
        .values(rows)
        .onConflictDoUpdate({
          target: [outages.nodeId, outages.offlineSince],
          set: { backAt: sql`excluded.back_at` },
          setWhere: isNull(outages.backAt),
        })
        .returning();
      await this.observer.ended(tx, ended);
    });
    for (const { nodeId } of rows) open.delete(nodeId);
  }

  /** Outages leave with their node. */
  async #forget(open: Map<string, OutageRow>): Promise<void> {
    for (const ids of batches([...this.#removed])) {
      const gone = ids.filter((id) => !this.context.live.peers.get(id));
      if (gone.length > 0)
        await this.context.db.delete(outages).where(inArray(outages.nodeId, gone));
      for (const id of gone) open.delete(id);
      for (const id of ids) this.#removed.delete(id);
    }
  }

  /**
   * One of the transactions of a round, each of which counts by itself: a round that fails, or is killed, has come as far
   * as that. It renews the lease, so nothing is written once another server watches.
   */
  #write<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const { db, serverId, clock } = this.context;
    return db.transaction(async (tx) => {
      const kept = await tx
        .update(outageWatch)
        .set({ renewedAt: new Date(clock()) })
        .where(ofServer(serverId))
        .returning();
      if (kept.length === 0) {
        this.#open = null;
        throw new Error('another server watches for outages now');
      }
      return work(tx);
    });
  }
}

/** Nodes are removed in this order, too: neither waits for the other. */
const byNode = (a: OutageRow, b: OutageRow) => (a.nodeId < b.nodeId ? -1 : 1);

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}

interface Survey {
  began: OutageRow[];
  ended: OutageRow[];
  /** How many nodes were heard within a minute. */
  heard: number;
}

/** Compares all nodes with the open outages, in slices. */
async function survey(
  { live }: ServiceContext,
  open: ReadonlyMap<string, OutageRow>,
  measuringSince: number,
  now: number,
): Promise<Survey> {
  const found: Survey = { began: [], ended: [], heard: 0 };
  await new Slices().each(live.peers.rows(), ({ id, lastSeen }) => {
    if (now - lastSeen.getTime() <= HEARD_MS) found.heard++;
    const outage = open.get(id);
    const measuredSince = Math.max(lastSeen.getTime(), measuringSince);
    if (outage) {
      if (lastSeen > outage.offlineSince) found.ended.push({ ...outage, backAt: lastSeen });
    } else if (now - measuredSince >= OUTAGE_AFTER_MS)
      found.began.push({
        nodeId: id,
        offlineSince: lastSeen,
        measuredSince: new Date(measuredSince),
        backAt: null,
      });
  });
  return found;
}

/**
 * Takes or renews the lease, so that one of all servers watches. In one statement, without a lock that a pooler could
 * lose. After a pause in which nobody watched, what can be measured begins anew.
 * @returns since when heartbeats have been watched without a break (ms); null if another server has the lease
 * @throws if the database is unavailable
 */
async function takeLease(
  { db, serverId }: Pick<ServiceContext, 'db' | 'serverId'>,
  now: number,
): Promise<number | null> {
  const at = new Date(now);
  const expired = new Date(now - LEASE_MS);
  const [mine] = await db
    .insert(outageWatch)
    .values({ id: ID, server: serverId, renewedAt: at, measuringSince: at })
    .onConflictDoUpdate({
      target: outageWatch.id,
      set: {
        server: serverId,
        renewedAt: at,
        measuringSince: sql`case when ${lt(outageWatch.renewedAt, expired)} then excluded.measuring_since else ${outageWatch.measuringSince} end`,
      },
      setWhere: sql`${inArray(outageWatch.server, [serverId, NOBODY])} or ${lt(outageWatch.renewedAt, expired)}`,
    })
    .returning({ measuringSince: outageWatch.measuringSince });
  return mine ? mine.measuringSince.getTime() : null;
}

/** The lease, if this server has it. */
const ofServer = (serverId: string) =>
  and(eq(outageWatch.id, ID), eq(outageWatch.server, serverId));

/** Heartbeats until `now` (ms) cannot be judged, because none arrived from anybody. */
async function restartMeasuring(
  { db, serverId }: Pick<ServiceContext, 'db' | 'serverId'>,
  now: number,
): Promise<void> {
  await db
    .update(outageWatch)
    .set({ measuringSince: new Date(now) })
    .where(ofServer(serverId));
}

/** Lets another server go on without a pause. */
async function releaseLease({
  db,
  serverId,
}: Pick<ServiceContext, 'db' | 'serverId'>): Promise<void> {
  await db.update(outageWatch).set({ server: NOBODY }).where(ofServer(serverId));
}
