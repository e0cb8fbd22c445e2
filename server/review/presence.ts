import { and, eq, gt, lte, or } from 'drizzle-orm';
import { withRetry } from '#server/common/with-retry.ts';
import { reviewPresence } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { readByNote, recentDecisions, type RecentDecision } from './decisions.ts';

/**
 * Who has which registration open. This is presence, not a lock: it shows reviewers what the others are looking at,
 * and stops nobody from deciding.
 */

/** Presence that was not renewed for this long has expired, milliseconds. */
export const PRESENCE_MS = 10 * 60_000;

/**
 * How long a row stays once it has expired, milliseconds: a queue that looks every second sees that something was open,
 * though it was closed in between.
 */
const TRACE_MS = 60_000;

type PresenceRow = typeof reviewPresence.$inferSelect;

/**
 * Records that the reviewer has a registration open, in any of their tabs; calling it again renews that. If
 * another reviewer already has it open, they stay its viewer, unless this reviewer takes over.
 * @returns the address of the reviewer who has it open now
 * @throws AppError `not_found`, `unavailable`
 */
export async function markOpen(
  context: ServiceContext,
  { note, reviewer, takeOver = false }: { note: string; reviewer: string; takeOver?: boolean },
  now = context.clock(),
): Promise<string> {
  const renewedAt = new Date(now);
  const ownOrExpired = or(
    eq(reviewPresence.reviewer, reviewer),
    lte(reviewPresence.renewedAt, new Date(now - PRESENCE_MS)),
  );
  return withRetry(async () => {
    const { id: registrationId } = await readByNote(context.db, note);
    const [marked] = await context.db
      .insert(reviewPresence)
      .values({ registrationId, reviewer, renewedAt })
      .onConflictDoUpdate({
        target: reviewPresence.registrationId,
        set: { reviewer, renewedAt },
        ...(!takeOver && ownOrExpired && { setWhere: ownOrExpired }),
      })
      .returning();
    if (marked) return marked.reviewer;
    const [other] = await context.db
      .select()
      .from(reviewPresence)
      .where(eq(reviewPresence.registrationId, registrationId));
    // Closed between the two statements: the next renewal makes it ours.
    return other?.reviewer ?? reviewer;
  });
}

/**
 * A page of the reviewer has left this registration; another of their tabs that shows it marks it again.
 * @throws AppError `not_found`, `unavailable`
 */
export async function markClosed(
  { db, clock }: ServiceContext,
  { note, reviewer }: { note: string; reviewer: string },
  now = clock(),
): Promise<void> {
  const { id } = await readByNote(db, note);
  const { registrationId, reviewer: viewer, renewedAt } = reviewPresence;
  const closedAt = new Date(now - PRESENCE_MS);
  await withRetry(() =>
    db
      .update(reviewPresence)
      .set({ renewedAt: closedAt })
      .where(and(eq(registrationId, id), eq(viewer, reviewer), gt(renewedAt, closedAt))),
  );
}

/** What is open at `now`, and what was until a moment ago. */
export async function readPresence({ db }: ServiceContext, now: number) {
  const rows = await db
    .select()
    .from(reviewPresence)
    .where(gt(reviewPresence.renewedAt, new Date(now - PRESENCE_MS - TRACE_MS)));
  const isOpen = ({ renewedAt }: PresenceRow) => renewedAt.getTime() > now - PRESENCE_MS;
  return { open: rows.filter(isOpen), left: rows.filter((row) => !isOpen(row)) };
}

export type QueueState = Awaited<ReturnType<typeof readQueueState>>;

/** What the reviewers are doing now, on every server. @throws AppError `unavailable` */
export async function readQueueState(context: ServiceContext, now: number) {
  const [{ open, left }, decisions] = await withRetry(() =>
    Promise.all([readPresence(context, now), recentDecisions(context, now)]),
  );
  return {
    /** What they have open, by registration id. */
    presence: new Map(open.map((row) => [row.registrationId, row])),
    /** What they had open until a moment ago. */
    left,
    /** Those that can still be undone, newest first. */
    decisions,
  };
}

/** The reviewer's decisions that can still be undone, newest first. */
export const ownDecisions = ({ decisions }: QueueState, reviewer: string): RecentDecision[] =>
  decisions.filter(({ by }) => by === reviewer);
