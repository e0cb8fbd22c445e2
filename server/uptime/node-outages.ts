import { and, desc, gt, inArray, isNull, or } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { OUTAGE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import { outages, type PeerRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { inTime } from '#server/common/with-timeout.ts';
import type { ServiceContext } from '#server/context.ts';
import { dayStrip, type DayStrip, type Outage } from './day-strip.ts';
import { DAY_MS, dayOf, iso } from './quarters.ts';
import { SHOWN_MS, type RecordedNetwork } from './totals.ts';

/** Outages that stay in memory, of all nodes together: about 50 bytes each. */
const KNOWN_MAX = 200_000;
/** How long what was read of a node is shown, milliseconds. */
const FRESH_MS = 60_000;
/** How long an outage is shown by the last heartbeat that is known: then it is recorded when it ended, milliseconds. */
const ENDING_MS = 15_000;
/** Nodes per statement. */
const NODES_PER_READ = 100;
/** Outages that a statement reads: a node that falls silent every six minutes has 21,600 of them in 90 days. */
const ROWS_PER_READ = 30_000;
/** A list doesn't wait longer than this for the database, milliseconds: it shows its rows without strips. */
const WAIT_MS = 1000;

/** Days on a node's page, and in lists: today and those before it. */
const PAGE_DAYS = 90;
const LIST_DAYS = 30;

export type NodeOutages = Awaited<ReturnType<OutageHistories['ofNode']>>;

interface Known {
  /** The newest first. */
  outages: Outage[];
  readAt: number;
}

/**
 * The outages of single nodes over the last 90 days, for pages and lists. Each node is read once a minute, however many
 * ask, and only if somebody asks.
 */
export class OutageHistories {
  readonly #known = new LRUCache<string, Known>({
    maxSize: KNOWN_MAX,
    sizeCalculation: (known) => 1 + known.outages.length,
  });
  readonly #reading = new Map<string, Promise<void>>();

  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'live' | 'clock' | 'log'>,
    private readonly network: RecordedNetwork,
  ) {
    const { live } = context;
    live.peers.follow({ changed: () => undefined, removed: ({ id }) => this.#known.delete(id) });
    live.reloading.on(() => this.#known.clear());
  }

  /**
   * The outages of a node over the last 90 days, up to now, and its days.
   * @param max how many outages, the newest first; `total` counts all
   * @throws AppError `not_found`, `unavailable`
   */
  async ofNode(id: string, max: number) {
    const { row, all } = await this.#ofNode(id);
    const now = this.context.clock();
    const first = dayOf(now) - (PAGE_DAYS - 1) * DAY_MS;
    const shown = all.filter(({ to }) => to === null || to > first);
    return {
      /** The moment that this describes. */
      updatedAt: iso(now),
      total: shown.length,
      latest: shown.slice(0, max).map(presentOutage),
      days: this.#strip(row, shown, first, now),
    };
  }

  /**
   * The outages of a node as of the end of a span (ms), the newest first, and its days.
   * @throws AppError `not_found`, `unavailable`
   */
  async asOf(
    id: string,
    first: number,
    until: number,
  ): Promise<{ outages: Outage[]; days: DayStrip }> {
    const { row, all } = await this.#ofNode(id);
    const shown = all
      .filter(({ from, to }) => from + OUTAGE_AFTER_MS <= until && (to === null || to > first))
      .map(({ from, to }) => ({ from, to: to !== null && to < until ? to : null }));
    return { outages: shown, days: this.#strip(row, shown, dayOf(first), until) };
  }

  /**
   * The last 30 days of nodes, for lists. Without nodes that were never heard of; while the database doesn't answer,
   * also without those that aren't known.
   */
  async monthStrips(ids: Iterable<string>): Promise<Map<string, DayStrip>> {
    const { live, clock, log } = this.context;
    const asked = new Map<string, PeerRow>();
    for (const id of ids) {
      const row = live.nodes.isShown(id) ? live.peers.get(id) : undefined;
      if (row) asked.set(id, row);
    }
    const now = clock();
    const old = [...asked.keys()].filter((id) => !this.#isFresh(id, now));
    const reading = this.#read(old).catch((err: unknown) =>
      log.warn({ err }, 'could not read outages'),
    );
    if (old.some((id) => !this.#known.has(id))) await inTime(WAIT_MS, reading);
    const first = dayOf(now) - (LIST_DAYS - 1) * DAY_MS;
    return new Map(
      [...asked].flatMap(([id, row]) => {
        const known = this.#known.get(id);
        return known ? [[id, this.#strip(row, shownOf(known, row), first, now)] as const] : [];
      }),
    );
  }

  /** When the latest outage of a node ended, as far as it has been read; null: it lasts, or there was none in 90 days. */
  lastEnd(id: string): string | null {
    const row = this.context.live.peers.get(id);
    const known = this.#known.get(id);
    const [latest] = row && known ? shownOf(known, row) : [];
    // A node that was removed and came back has outages of before.
    if (!row || !latest || latest.from < row.joinedAt.getTime()) return null;
    return presentOutage(latest).to;
  }

  async #ofNode(id: string): Promise<{ row: PeerRow; all: Outage[] }> {
    const { live, clock } = this.context;
    const row = live.nodes.isShown(id) ? live.peers.get(id) : undefined;
    if (!row) throw new AppError('not_found', 'No node with this id has ever sent a heartbeat.');
    if (!this.#isFresh(id, clock())) await this.#read([id]);
    const known = this.#known.get(id);
    return { row, all: known ? shownOf(known, row) : [] };
  }

  #isFresh(id: string, now: number): boolean {
    const known = this.#known.get(id);
    if (!known) return false;
    const [latest] = known.outages;
    const heard = this.context.live.peers.get(id)?.lastSeen.getTime() ?? 0;
    const ends = latest?.to === null && latest.from < heard;
    return now - known.readAt < (ends ? ENDING_MS : FRESH_MS);
  }

  /** Reads what nobody is reading yet. @throws AppError `unavailable` */
  async #read(ids: string[]): Promise<void> {
    const unread = ids.filter((id) => !this.#reading.has(id));
    for (let at = 0; at < unread.length; at += NODES_PER_READ) {
      const some = unread.slice(at, at + NODES_PER_READ);
      const reading = this.#readSome(some).finally(() =>
        some.forEach((id) => this.#reading.delete(id)),
      );
      for (const id of some) this.#reading.set(id, reading);
    }
    await Promise.all(ids.flatMap((id) => this.#reading.get(id) ?? []));
  }

  async #readSome(ids: string[]): Promise<void> {
    const { db, clock } = this.context;
    const readAt = clock();
    const since = new Date(readAt - SHOWN_MS);
    const rows = await withRetry(() =>
      db
        .select({ id: outages.nodeId, from: outages.offlineSince, to: outages.backAt })
        .from(outages)
        .where(
          and(inArray(outages.nodeId, ids), or(isNull(outages.backAt), gt(outages.backAt, since))),
        )
        .orderBy(desc(outages.offlineSince))
        .limit(ROWS_PER_READ),
    );
    const found = new Map<string, Outage[]>(ids.map((id) => [id, []]));
    for (const { id, from, to } of rows)
      found.get(id)?.push({ from: from.getTime(), to: to && to.getTime() });
    for (const [id, ofNode] of found) this.#known.set(id, { outages: ofNode, readAt });
  }

  #strip(row: PeerRow, all: Outage[], first: number, until: number): DayStrip {
    const joinedAt = row.joinedAt.getTime();
    return dayStrip({ outages: all, gaps: this.network.gaps(), joinedAt, first, until });
  }
}

/** An outage as clients have it. */
export const presentOutage = ({ from, to }: Outage) => ({
  /** The last heartbeat before it. */
  from: iso(from),
  /** The first one after it; null while it lasts. */
  to: to === null ? null : iso(to),
});

/** What was read of a node, with what its heartbeats have said since: an outage that lasts ends with the next one. */
function shownOf({ outages }: Known, { lastSeen }: PeerRow): Outage[] {
  const heard = lastSeen.getTime();
  return outages.map((outage) =>
    outage.to === null && outage.from < heard ? { ...outage, to: heard } : outage,
  );
}
