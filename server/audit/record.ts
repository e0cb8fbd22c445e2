import { eq } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { reviewActions } from '#db/schema/index.ts';
import { z } from 'zod';
import { Reason } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { Action } from '@mesh-registry/protocol/values.schema.ts';
import { parse } from '#server/common/errors.schema.ts';

export interface ReviewAction {
  /** From {@link newActionId}, if the caller has to recognise its own entry. */
  id?: string;
  /** The reviewer's address, or `system`. */
  actor: string;
  action: Action;
  /** A name, a node's id, or a reviewer's address. */
  subject: string;
  reason?: string | undefined;
}

/** Writes an action to the history, in the transaction of the action: neither is committed without the other. */
export const recordAction = (tx: Db, action: ReviewAction, now: number): Promise<void> =>
  recordActions(tx, [action], now);

/** The same for several actions. */
export async function recordActions(tx: Db, actions: ReviewAction[], now: number): Promise<void> {
  await tx.insert(reviewActions).values(
    actions.map((action) => ({
      id: newActionId(),
      at: new Date(now),
      ...action,
      reason: action.reason ?? null,
    })),
  );
}

/** The id of a future entry, created before its transaction: a retry recognises its own entry by it. */
export const newActionId = () => randomBytes(12).toString('base64url');

/**
 * Whether the entry is in the history. Then an earlier attempt was committed and only its response was lost: the
 * work is done, by this very caller.
 */
export async function isRecorded(tx: Db, { id }: { id: string }): Promise<boolean> {
  const found = await tx
    .select({ id: reviewActions.id })
    .from(reviewActions)
    .where(eq(reviewActions.id, id));
  return found.length > 0;
}

const WithReason = z.object({ reason: Reason });

/** The reason of an action as it is stored. @throws AppError `invalid_body` */
export const requireReason = (reason: string): string =>
  parse(WithReason, { reason }, 'invalid_body').reason;
