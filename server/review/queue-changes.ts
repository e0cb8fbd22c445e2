import { desc } from 'drizzle-orm';
import { reviewActions } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { readQueueState } from './presence.ts';
import type { ReviewContext } from './rows.ts';

/** How often a stream checks that its session is still valid, milliseconds. */
const SESSION_CHECK_MS = 10_000;
/** Streams that wake with the same tick share one query, milliseconds. */
const SHARED_MS = 500;

/**
 * Tells all open queues of this process when something changes: one query a second for all of them, and none while
 * nobody follows.
 */
export class QueueWatch {
  #last: { at: number; state: Promise<string> } | undefined;

  constructor(private readonly context: ReviewContext) {}

  /**
   * Emits when a registration in the queue or presence changes, a decision is made or can no longer be undone, or
   * reviewers do something elsewhere (such as importing payments). The page then loads the queue again.
   * @param isAllowed called every {@link SESSION_CHECK_MS}; the stream ends once it returns false
   */
  async *changes(
    isAllowed: () => Promise<boolean>,
    signal: AbortSignal,
  ): AsyncGenerator<{ waiting: number }> {
    let emitted: string | undefined;
    let checkedAt = this.context.clock();
    for (;;) {
      const state = await this.#state();
      if (state !== null && state !== emitted) {
        emitted = state;
        yield { waiting: this.context.reviewIndex.queue().length };
      }
      const now = await this.context.ticker.next(signal);
      if (now === null) return;
      if (now - checkedAt < SESSION_CHECK_MS) continue;
      checkedAt = now;
      // While the database is unavailable the session cannot be checked, and nothing is emitted.
      if (!(await isAllowed().catch(() => true)))
        throw new AppError('unauthorized', 'Sign in as a reviewer first.');
    }
  }

  /** The same text as long as nothing changes; null while the database is unavailable. */
  #state(): Promise<string | null> {
    const at = performance.now();
    if (!this.#last || at - this.#last.at >= SHARED_MS)
      this.#last = { at, state: this.#read(this.context.clock()) };
    return this.#last.state.catch(() => null);
  }

  async #read(now: number): Promise<string> {
    const { db } = this.context;
    const [{ presence, left, decisions }, last] = await Promise.all([
      readQueueState(this.context, now),
      db
        .select({ id: reviewActions.id })
        .from(reviewActions)
        .orderBy(desc(reviewActions.at), desc(reviewActions.id))
        .limit(1),
    ]);
    return JSON.stringify([
      this.context.reviewIndex.queueVersion,
      // Without its time: renewed presence is no change.
      [...presence.values()].map(({ registrationId, reviewer }) => [registrationId, reviewer]),
      left,
      decisions,
      last,
    ]);
  }
}
