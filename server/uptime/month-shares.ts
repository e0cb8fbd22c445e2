import { and, inArray } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { nodeDays } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { inTime } from '#server/common/with-timeout.ts';
import type { ServiceContext } from '#server/context.ts';
import { DAY_MS, dayOf, daysBetween, QUARTER_MS, quarterOf, WINDOWS } from './quarters.ts';
import { shareOf, type RecordedNetwork } from './totals.ts';

/** Nodes whose share stays in memory: about 100 bytes each. */
const KNOWN_MAX = 20_000;
/** Nodes per statement: 30 days of each are read by their keys. */
const NODES_PER_READ = 100;
/** A list doesn't wait longer than this for the database, milliseconds: it shows its rows without uptime. */
const WAIT_MS = 1000;

/** The measured quarters of the last 30 days, a bit for each, in whole UTC days. */
interface Month {
  /** Their end (ms), and the history that they were made of. */
  to: number;
  version: number;
  /** The first day, ms. */
  first: number;
  days: string[];
  measured: Uint8Array;
}

interface KnownShare {
  share: number | null;
  month: Month;
  joinedAt: number;
}

/**
 * The uptime of nodes over the last 30 days, for lists, badges and pictures. Each node is read once a quarter of an
 * hour, however many ask, and only if somebody asks.
 */
export class MonthShares {
  readonly #known = new LRUCache<string, KnownShare>({ max: KNOWN_MAX });
  readonly #reading = new Map<string, Promise<void>>();
  #month: Month | undefined;

  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'live' | 'log'>,
    private readonly network: RecordedNetwork,
  ) {}

  /**
   * The share of the last 30 days for each of these nodes, from 0 to 1, as in GET /api/mesh/history; null where
   * nothing was measured since the node joined. Without nodes that were never heard of. While a new quarter is read
   * they have the share of the one before. While the database doesn't answer, those that aren't known are left out.
   */
  async of(ids: Iterable<string>): Promise<Map<string, number | null>> {
    const { live } = this.context;
    const month = this.#currentMonth();
    const asked = new Map<string, number>();
    for (const id of ids) {
      const row = live.nodes.isShown(id) ? live.peers.get(id) : undefined;
      if (row) asked.set(id, row.joinedAt.getTime());
    }
    const known = (id: string, joinedAt: number) => {
      const found = this.#known.get(id);
      return found?.joinedAt === joinedAt ? found : undefined;
    };
    const old = [...asked].filter(([id, joinedAt]) => known(id, joinedAt)?.month !== month);
    const reading = this.#read(month, old);
    if (old.some(([id, joinedAt]) => !known(id, joinedAt))) await inTime(WAIT_MS, reading);
    return new Map(
      [...asked].flatMap(([id, joinedAt]) => {
        const found = known(id, joinedAt);
        return found ? [[id, found.share] as const] : [];
      }),
    );
  }

  /** Reads what nobody is reading yet. Never rejects. */
  async #read(month: Month, nodes: [id: string, joinedAt: number][]): Promise<void> {
    const unread = nodes.filter(([id]) => !this.#reading.has(id));
    for (let at = 0; at < unread.length; at += NODES_PER_READ) {
      const some = unread.slice(at, at + NODES_PER_READ);
      const reading = this.#readSome(month, new Map(some))
        .catch((err: unknown) => this.context.log.warn({ err }, 'could not read uptimes'))
        .finally(() => some.forEach(([id]) => this.#reading.delete(id)));
      for (const [id] of some) this.#reading.set(id, reading);
    }
    await Promise.all(nodes.flatMap(([id]) => this.#reading.get(id) ?? []));
  }

  async #readSome(month: Month, nodes: ReadonlyMap<string, number>): Promise<void> {
    const rows = await withRetry(() =>
      this.context.db
        .select()
        .from(nodeDays)
        .where(and(inArray(nodeDays.day, month.days), inArray(nodeDays.node, [...nodes.keys()]))),
    );
    const heard = new Map<string, number>();
    for (const { node, day, bits } of rows) {
      const from = (Date.parse(day) - month.first) / DAY_MS;
      let online = heard.get(node) ?? 0;
      for (let n = 0; n < BYTES_PER_DAY; n++)
        online += ONES[(bits[n] ?? 0) & (month.measured[from * BYTES_PER_DAY + n] ?? 0)] ?? 0;
      heard.set(node, online);
    }
    for (const [id, joinedAt] of nodes) {
      const share = shareOf(heard.get(id) ?? 0, measuredSince(month, quarterOf(joinedAt)));
      this.#known.set(id, { share, month, joinedAt });
    }
  }

  #currentMonth(): Month {
    const to = this.network.end();
    const { version } = this.network;
    if (this.#month?.to === to && this.#month.version === version) return this.#month;
    const from = to - WINDOWS['30d'];
    const first = dayOf(from);
    const days = daysBetween(first, to - 1);
    const measured = new Uint8Array(days.length * BYTES_PER_DAY);
    for (let quarter = from; quarter < to; quarter += QUARTER_MS) {
      const n = (quarter - first) / QUARTER_MS;
      if (this.network.isMeasured(quarter)) measured[n >> 3] = (measured[n >> 3] ?? 0) | bit(n);
    }
    return (this.#month = { to, version, first, days, measured });
  }
}

const BYTES_PER_DAY = 12;
/** The bit of a quarter in its byte: get_bit() and set_bit() count from the lowest one. */
const bit = (n: number) => 1 << (n & 7);
/** How many bits of a byte are set. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let ones = 0;
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1;
  return ones;
});

/** How many quarters have been measured since the one that begins at `quarter` (ms). */
function measuredSince({ first, measured }: Month, quarter: number): number {
  const start = Math.max(0, (quarter - first) / QUARTER_MS);
  let count = 0;
  for (let n = start >> 3; n < measured.length; n++) count += ONES[measured[n] ?? 0] ?? 0;
  // The first byte also has quarters from before the start.
  for (let n = start & ~7; n < start; n++) if ((measured[n >> 3] ?? 0) & bit(n)) count--;
  return count;
}
