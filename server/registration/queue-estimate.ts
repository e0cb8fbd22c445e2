import type { RegistrationRow } from '#db/schema/index.ts';
import type { LiveModel } from '#server/live/index.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import type { ReviewIndex } from './review-index.ts';

/** Older reviews say nothing about how long one takes now (ms). */
const RECENT_MS = 30 * 24 * 3_600_000;
/** At most this many of the recent reviews count. */
const SAMPLE = 50;
/** Fewer give no estimate. */
const SAMPLE_MIN = 3;

/** A registration's position in the queue, and how long reviews take. Recomputed only after a change. */
export class ReviewTimes {
  #queueVersion = -1;
  /** From 1, by the registration's id. */
  #positions = new Map<string, number>();
  #version = -1;
  /** Finished reviews, newest first: when (ms), and how long after the confirmation (ms). */
  #finished: { at: number; took: number }[] = [];

  constructor(
    private readonly live: LiveModel,
    private readonly index: ReviewIndex,
  ) {}

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

  /** The median of the last 50 reviews of the last 30 days, ms; null if there were fewer than three. */
  usualMs(now: number): number | null {
    this.#update();
    const took = this.#finished
      .filter(({ at }) => now - at <= RECENT_MS)
      .map(({ took }) => took)
      .sort((a, b) => a - b);
    return took.length < SAMPLE_MIN ? null : median(took);
  }

  #update(): void {
    const { registrations } = this.live;
    if (this.#version === registrations.version) return;
    this.#version = registrations.version;
    this.#finished = [...registrations.rows()]
      .flatMap(reviewOf)
      .sort((a, b) => b.at - a.at)
      .slice(0, SAMPLE);
  }
}

/** The finished review of a registration, if any. If the name was revoked later, the activation finished it. */
function reviewOf(row: RegistrationRow): { at: number; took: number }[] {
  const byReviewer = row.decidedBy !== SYSTEM && row.decidedBy !== OPERATOR;
  const ended = row.activatedAt ?? (byReviewer ? row.decidedAt : null);
  if (!ended || !row.confirmedAt) return [];
  const at = ended.getTime();
  return [{ at, took: Math.max(0, at - row.confirmedAt.getTime()) }];
}

/** @param sorted not empty */
function median(sorted: number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
