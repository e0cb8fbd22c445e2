import { eq } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { reviewActions } from '#db/schema.ts';
import type { Action } from '#server/common/values.schema.ts';

export interface ReviewAction {
  /** By {@link newActionId}, where it matters. */
  id?: string;
  /** The reviewer's address, or `system`. */
  actor: string;
  action: Action;
  /** A name, a node's id, a reviewer's address. */
  subject: string;
  reason?: string | undefined;
}

/** Writes the history of what is done in the same transaction: neither is there without the other. */
export async function recordAction(tx: Db, action: ReviewAction, now: number): Promise<void> {
  await tx.insert(reviewActions).values({
    id: newActionId(),
    at: new Date(now),
    ...action,
    reason: action.reason ?? null,
  });
}

/** Of an entry to be, made before its transaction: a repetition of that knows its own by it. */
export const newActionId = () => randomBytes(12).toString('base64url');

/**
 * Whether the entry is in the history: the transaction before this one was committed, only its answer was lost.
 * So what there is to do is done, and by nobody else.
 */
export async function isRecorded(tx: Db, { id }: { id: string }): Promise<boolean> {
  const found = await tx
    .select({ id: reviewActions.id })
    .from(reviewActions)
    .where(eq(reviewActions.id, id));
  return found.length > 0;
}
