import { and, desc, gt, isNotNull, notInArray, or, sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { registrations, reviewedAt } from '#db/schema/index.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { LiveModel } from '#server/live/index.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import type { ReviewIndex } from './review-index.ts';

/** Older reviews say nothing about how long one takes now (ms). */
const RECENT_MS = 30 * 24 * 3_600_000;
/** At most this many of the recent reviews count. */
const SAMPLE = 50;
/** Fewer give no estimate. */
const SAMPLE_MIN = 5;

/** A registration's position in the queue, and how long reviews take. Found anew only after a change. */
export class ReviewTimes {
  #queueVersion = -1;
  /** From 1, by the registration's id. */
  #positions = new Map<string, number>();
  /** A review may have finished since they were read. */
  #stale = true;
  /** Finished reviews, newest first: when (ms), and how long after the confirmation (ms). */
  #finished: { at: number; took: number }[] = [];

  constructor(
    private readonly db: Db,
    private readonly live: LiveModel,
    private readonly index: ReviewIndex,
  ) {
    const finished = () => (this.#stale = true);
    live.registrations.follow({
      changed: ({ status }, before) => {
        if (status === 'active' || before?.status === 'active') finished();
      },
      removed: finished,
    });
  }

  /** The position from 1, in the order of the reviewers' queue; null if the registration is not in it. */
  position(id: string): { position: number; waiting: number } | null {
    const { queueVersion } = this.index;
    if (this.#queueVersion !== queueVersion) {
      this.#queueVersion = queueVersion;
      this.#positions = new Map(this.index.queue().map((row, before) => [row.id, before + 1]));
    }
    const position = this.#positions.get(id);
    return position === undefined ? null : { position, waiting: this.#positions.size };
  }

  /**
   * The median of the last 50 reviews of the last 30 days, ms; null if there were fewer than five. While the database
   * is away, of those that are known.
   */
  async usualMs(now: number): Promise<number | null> {
    if (this.#stale && !this.live.degraded()) await this.#read(now);
    const took = this.#finished
      .filter(({ at }) => now - at <= RECENT_MS)
      .map(({ took }) => took)
      .sort((a, b) => a - b);
    return took.length < SAMPLE_MIN ? null : median(took);
  }

  async #read(now: number): Promise<void> {
    // Before it is read: what finishes meanwhile is read the next time.
    this.#stale = false;
    try {
      this.#finished = await withRetry(() => readFinished(this.db, now));
    } catch (error) {
      this.#stale = true;
      if (!isAppError(error) || error.code !== 'unavailable') throw error;
    }
  }
}

/** The latest finished reviews. If a name was revoked later, its activation finished the review. */
async function readFinished(db: Db, now: number) {
  const { confirmedAt, activatedAt, decidedAt, decidedBy } = registrations;
  const rows = await db
    .select({ confirmedAt, activatedAt, decidedAt })
    .from(registrations)
    .where(
      and(
        isNotNull(confirmedAt),
        gt(reviewedAt(registrations), sql.param(new Date(now - RECENT_MS), decidedAt)),
        or(isNotNull(activatedAt), notInArray(decidedBy, [SYSTEM, OPERATOR])),
      ),
    )
    .orderBy(desc(reviewedAt(registrations)))
    .limit(SAMPLE);
  return rows.flatMap(({ confirmedAt, activatedAt, decidedAt }) => {
    const at = (activatedAt ?? decidedAt)?.getTime();
    return at === undefined || confirmedAt === null
      ? []
      : { at, took: Math.max(0, at - confirmedAt.getTime()) };
  });
}

/** @param sorted not empty */
function median(sorted: number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
