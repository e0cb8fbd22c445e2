import type { RegistrationRow } from '#db/schema.ts';
import type { LiveModel } from '#server/live/index.ts';
import { SYSTEM } from '#server/common/values.schema.ts';
import type { ReviewIndex } from '#server/review/index-by-note.ts';

/** Reviews that ended longer ago than this say nothing of how long one takes now (ms). */
const LATELY_MS = 30 * 24 * 3_600_000;
/** Of those, the last so many. */
const SAMPLE = 50;
/** Fewer are no measure. */
const SAMPLE_MIN = 3;

/** Where a registration stands in the reviewers' queue, and how long reviews take; counted again only after a change. */
export class ReviewTimes {
  #queueVersion = -1;
  /** From 1, by the registration's id. */
  #places = new Map<string, number>();
  #version = -1;
  /** Reviews that have ended, the last first: when (ms), and how long after the payment was claimed (ms). */
  #ended: { at: number; took: number }[] = [];

  constructor(
    private readonly live: LiveModel,
    private readonly index: ReviewIndex,
  ) {}

  /** From 1, in the order in which reviewers see the queue; null where the registration does not wait. */
  place(id: string): { place: number; waiting: number } | null {
    const { queueVersion } = this.index;
    if (this.#queueVersion !== queueVersion) {
      this.#queueVersion = queueVersion;
      this.#places = new Map(this.index.queue().map((row, before) => [row.id, before + 1]));
    }
    const place = this.#places.get(id);
    return place === undefined ? null : { place, waiting: this.#places.size };
  }

  /** The median of the last 50 reviews of the last 30 days, ms; null where there were fewer than three. */
  usualMs(now: number): number | null {
    this.#update();
    const took = this.#ended
      .filter(({ at }) => now - at <= LATELY_MS)
      .map(({ took }) => took)
      .sort((a, b) => a - b);
    return took.length < SAMPLE_MIN ? null : median(took);
  }

  #update(): void {
    const { registrations } = this.live;
    if (this.#version === registrations.version) return;
    this.#version = registrations.version;
    this.#ended = [...registrations.rows()]
      .flatMap(reviewOf)
      .sort((a, b) => b.at - a.at)
      .slice(0, SAMPLE);
  }
}

/** A review that has ended. Of an activation that was revoked later, the activation is what ended it. */
function reviewOf(row: RegistrationRow): { at: number; took: number }[] {
  const ended = row.activatedAt ?? (row.decidedBy === SYSTEM ? null : row.decidedAt);
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
