import { and, eq, inArray } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type {
  HistoryDays,
  NodeHistory,
  NodeStep,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import { recordFrom } from '@mesh-registry/protocol/values.schema.ts';
import { nodeDays } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { presentOutage, type OutageHistories } from './node-outages.ts';
import {
  DAY_MS,
  dayOf,
  daysBetween,
  historyHead,
  iso,
  numberInDay,
  QUARTER_MS,
  quarterOf,
  QUARTERS_PER_DAY,
  stepsOf,
  WINDOW_NAMES,
  WINDOWS,
  type Window,
} from './quarters.ts';
import { shareOf, SHOWN_MS, type RecordedNetwork } from './totals.ts';

/** Nodes whose bits stay in memory until the next quarter, for pages that refresh: about 2 KB each. */
const CACHED_MAX = 1000;

/** What is known about a node in a span: seconds in its measured quarters, and what was not measured. */
interface Span {
  onlineSeconds: number;
  measuredSeconds: number;
  unmeasuredSeconds: number;
}

export type NodeUptime = Awaited<ReturnType<NodeHistories['uptime']>>;
/** The uptime of a node in one window, for a strip on a page. */
export type UptimeStrip = NodeUptime['strips'][number];

/** How many quarters a cell of a strip has: each strip has 84 to 96 cells. */
const CELL_QUARTERS: Record<Window, number> = { '24h': 1, '7d': 8, '30d': 32, '90d': 96 };

function cellOf({ onlineSeconds, measuredSeconds }: Span): string {
  if (measuredSeconds === 0) return '?';
  const share = onlineSeconds / measuredSeconds;
  // Neither a short absence nor a short presence is rounded away.
  return share === 0 || share === 1 ? String(share * 9) : String(1 + Math.round(share * 7));
}

const BYTES_PER_DAY = QUARTERS_PER_DAY / 8;

/** The bits of one node over several days. */
export class NodeBits {
  readonly #first: number;
  readonly #bytes: Uint8Array;

  /** @param first the first day (ms) @param days how many */
  constructor(first: number, days: number, rows: { day: string; bits: Uint8Array }[]) {
    this.#first = dayOf(first);
    this.#bytes = new Uint8Array(days * BYTES_PER_DAY);
    for (const { day, bits } of rows) {
      const at = ((Date.parse(day) - this.#first) / DAY_MS) * BYTES_PER_DAY;
      if (at >= 0 && at < this.#bytes.length) this.#bytes.set(bits.subarray(0, BYTES_PER_DAY), at);
    }
  }

  /** Whether the node was heard of in the quarter (ms). False outside of these days. */
  heard(quarter: number): boolean {
    const day = (dayOf(quarter) - this.#first) / DAY_MS;
    if (day < 0) return false;
    const n = numberInDay(quarter);
    // get_bit() and set_bit() count from the lowest bit of the first byte.
    return (((this.#bytes[day * BYTES_PER_DAY + (n >> 3)] ?? 0) >> (n & 7)) & 1) === 1;
  }
}

interface KnownNode {
  bits: NodeBits;
  joinedAt: number;
  to: number;
}

/** The histories of single nodes and compute offers, read from the database. */
export class NodeHistories {
  readonly #cached = new LRUCache<string, KnownNode & { version: number }>({ max: CACHED_MAX });

  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'live'>,
    private readonly network: RecordedNetwork,
    private readonly outages: OutageHistories,
  ) {}

  /** @throws AppError `not_found`, `unavailable` */
  async history(id: string, days: HistoryDays): Promise<NodeHistory> {
    const node = await this.#read(id);
    const { to, joinedAt } = node;
    const { stepMs, from, steps } = stepsOf(days, to, quarterOf(joinedAt));
    const { outages, days: ofDays } = await this.outages.asOf(id, from, to);
    return {
      ...historyHead(stepMs, from, to),
      steps: steps.map((at, n): NodeStep => {
        const { onlineSeconds, measuredSeconds } = this.#span(node, at, Math.min(at + stepMs, to));
        const step = { at: iso(at), online: onlineSeconds > 0, measured: measuredSeconds > 0 };
        const offlineSeconds = ofDays.offline[n] ?? null;
        return stepMs === DAY_MS
          ? { ...step, onlineSeconds, measuredSeconds, offlineSeconds }
          : step;
      }),
      outages: outages.map(presentOutage),
      uptime: recordFrom(WINDOW_NAMES, (window) => this.#share(node, WINDOWS[window])),
    };
  }

  /**
   * The uptime of a node in each window that it has been there for, as strips for a page.
   * @throws AppError `not_found`, `unavailable`
   */
  async uptime(id: string) {
    return this.#strips(await this.#read(id));
  }

  /**
   * The uptime of a node from a moment (ms) on, within the last 90 days, from 0 to 1; null if nothing was measured.
   * @throws AppError `not_found`, `unavailable`
   */
  async shareSince(id: string, from: number): Promise<number | null> {
    const node = await this.#read(id);
    const since = Math.max(quarterOf(from), node.to - WINDOWS['90d']);
    const { onlineSeconds, measuredSeconds } = this.#span(node, since, node.to);
    return shareOf(onlineSeconds, measuredSeconds);
  }

  /** The uptime of a compute offer. @param id `<nodeId>:<name>` @throws AppError `not_found`, `unavailable` */
  async offerUptime(id: string): Promise<NodeUptime> {
    return this.#strips(await this.#readOffer(id));
  }

  #strips(node: KnownNode) {
    const { to, joinedAt } = node;
    const windows = WINDOW_NAMES.filter(
      (window, n, all) => n === 0 || to - joinedAt > WINDOWS[all[n - 1] ?? '24h'],
    );
    return {
      /** The end of the strips. */
      to: iso(to),
      strips: windows.map((window) => {
        let cells = '';
        const cellMs = CELL_QUARTERS[window] * QUARTER_MS;
        for (let at = to - WINDOWS[window]; at < to; at += cellMs)
          cells +=
            at + cellMs <= quarterOf(joinedAt) ? ' ' : cellOf(this.#span(node, at, at + cellMs));
        const whole = this.#span(node, to - WINDOWS[window], to);
        return {
          window,
          uptime: this.#share(node, WINDOWS[window]),
          ...whole,
          /**
           * One character for each cell, the oldest first: a space before the node joined, `?` where nothing was
           * measured, else the share of time online from 0 (never) to 9 (always).
           */
          cells,
        };
      }),
    };
  }

  #share(node: KnownNode, windowMs: number): number | null {
    const { onlineSeconds, measuredSeconds } = this.#span(node, node.to - windowMs, node.to);
    return shareOf(onlineSeconds, measuredSeconds);
  }

  /** What is known from `from` to `to` (ms), since the quarter in which the node joined. */
  #span({ bits, joinedAt }: KnownNode, from: number, to: number): Span {
    const span = { onlineSeconds: 0, measuredSeconds: 0, unmeasuredSeconds: 0 };
    for (let at = Math.max(from, quarterOf(joinedAt)); at < to; at += QUARTER_MS) {
      if (!this.network.isMeasured(at)) span.unmeasuredSeconds += QUARTER_MS / 1000;
      else {
        span.measuredSeconds += QUARTER_MS / 1000;
        if (bits.heard(at)) span.onlineSeconds += QUARTER_MS / 1000;
      }
    }
    return span;
  }

  async #read(id: string): Promise<KnownNode> {
    const { live } = this.context;
    const row = live.peers.get(id);
    if (!row || !live.nodes.isShown(id))
      throw new AppError('not_found', 'No node with this id has ever sent a heartbeat.');
    return this.#readBits(id, row.joinedAt.getTime());
  }

  async #readOffer(id: string): Promise<KnownNode> {
    const { live } = this.context;
    const row = live.computes.get(id);
    if (!row || !live.nodes.isShown(row.nodeId))
      throw new AppError('not_found', 'This compute offer has never been announced.');
    return this.#readBits(id, row.firstSeen.getTime());
  }

  async #readBits(id: string, joinedAt: number): Promise<KnownNode> {
    const { db } = this.context;
    const to = this.network.end();
    const { version } = this.network;
    const cached = this.#cached.get(id);
    if (cached?.to === to && cached.joinedAt === joinedAt && cached.version === version)
      return cached;
    const days = daysBetween(Math.max(to - SHOWN_MS, joinedAt), to);
    const rows = await withRetry(() =>
      db
        .select({ day: nodeDays.day, bits: nodeDays.bits })
        .from(nodeDays)
        .where(and(eq(nodeDays.node, id), inArray(nodeDays.day, days))),
    );
    const first = Date.parse(days[0] ?? iso(to));
    const node = { bits: new NodeBits(first, days.length, rows), joinedAt, to, version };
    this.#cached.set(id, node);
    return node;
  }
}
