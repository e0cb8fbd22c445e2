import { desc, sql } from 'drizzle-orm';
import { reviewActions } from '#db/schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { readDesk, type ReviewContext } from './review-desk.ts';

/** How often a stream looks whether its session is still one, milliseconds. */
const CHECK_MS = 10_000;
/** Streams that wake with the same tick share one look, milliseconds. */
const SHARED_MS = 500;

/**
 * What the open queues of this process follow: one look at the database for all of them, once a second,
 * and none while nobody is there.
 */
export class QueueWatch {
  #look: { at: number; state: Promise<string> } | undefined;

  constructor(private readonly s: ReviewContext) {}

  /**
   * Tells that something of the queue changed: a registration in it, who has what open, a decision, or
   * what reviewers did elsewhere (payments that were imported). The page then asks for the queue anew.
   * @param mayGoOn asked every {@link CHECK_MS}; the stream ends once it says no
   */
  async *changes(
    mayGoOn: () => Promise<boolean>,
    signal: AbortSignal,
  ): AsyncGenerator<{ waiting: number }> {
    let told: string | undefined;
    let checkedAt = this.s.clock();
    for (;;) {
      const state = await this.#state();
      if (state !== null && state !== told) {
        told = state;
        yield { waiting: this.s.index.queue().length };
      }
      const now = await this.s.ticker.next(signal);
      if (now === null) return;
      if (now - checkedAt < CHECK_MS) continue;
      checkedAt = now;
      // While the database is away nobody can be asked, and nothing is told.
      if (!(await mayGoOn().catch(() => true)))
        throw new AppError('unauthorized', 'Sign in as a reviewer first.');
    }
  }

  /** Equal as long as nothing changed; null while the database is away. */
  #state(): Promise<string | null> {
    const at = performance.now();
    if (!this.#look || at - this.#look.at >= SHARED_MS)
      this.#look = { at, state: this.#read(this.s.clock()) };
    return this.#look.state.catch(() => null);
  }

  async #read(now: number): Promise<string> {
    const { db } = this.s;
    const [{ presence, decisions }, removals, last] = await Promise.all([
      readDesk(this.s, now),
      db
        .select({ value: sql<string>`last_value::text`, any: sql<boolean>`is_called` })
        .from(sql`review_desk_removals`),
      db
        .select({ id: reviewActions.id })
        .from(reviewActions)
        .orderBy(desc(reviewActions.at), desc(reviewActions.id))
        .limit(1),
    ]);
    return JSON.stringify([
      this.s.index.queueVersion,
      // Without its time: renewed presence is no change.
      [...presence.values()].map(({ registrationId, reviewer }) => [registrationId, reviewer]),
      [...decisions.values()],
      removals,
      last,
    ]);
  }
}
