import type { LiveModel, RegistrationRow } from '../live/model.ts';
import { SYSTEM } from '../schemas/values.ts';

/** Reviews that ended longer ago than this say nothing of how long one takes now (ms). */
const LATELY_MS = 30 * 24 * 3_600_000;
/** Of those, the last so many. */
const SAMPLE = 50;
/** Fewer are no measure. */
const SAMPLE_MIN = 3;

/** What waits for a reviewer, from the read model; counted again only when a registration has changed. */
export class ReviewTimes {
  #version = -1;
  #waiting: string[] = [];
  /** Reviews that have ended, the last first: when (ms), and how long after the payment was claimed (ms). */
  #ended: { at: number; took: number }[] = [];

  constructor(private readonly live: LiveModel) {}

  /** From 1, by the moment of the claim; null where the registration does not wait. */
  place(id: string): { place: number; waiting: number } | null {
    this.#update();
    const index = this.#waiting.indexOf(id);
    return index < 0 ? null : { place: index + 1, waiting: this.#waiting.length };
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
    const rows = [...registrations.rows()];
    this.#waiting = rows
      .filter(({ status }) => status === 'pending_review')
      .sort((a, b) => claimedAt(a) - claimedAt(b) || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
    this.#ended = rows
      .flatMap(reviewOf)
      .sort((a, b) => b.at - a.at)
      .slice(0, SAMPLE);
  }
}

const claimedAt = ({ confirmedAt, updatedAt }: RegistrationRow): number =>
  (confirmedAt ?? updatedAt).getTime();

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
