import { eq } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { reviewActions } from '#db/schema/index.ts';
import { z } from 'zod';
import { Reason } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { Action } from '@mesh-registry/protocol/values.schema.ts';
import { parse } from '#server/common/errors.schema.ts';
import { inTransaction } from '#server/common/with-retry.ts';

export interface ReviewAction {
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
export async function recordActions(
  tx: Db,
  actions: (ReviewAction & { id?: string })[],
  now: number,
): Promise<void> {
  await tx.insert(reviewActions).values(
    actions.map((action) => ({
      id: newId(),
      at: new Date(now),
      ...action,
      reason: action.reason ?? null,
    })),
  );
}

const newId = () => randomBytes(12).toString('base64url');

/**
 * Writes rows together with their action, in one transaction that may be repeated: an attempt that was committed
 * although its answer was lost is recognised by its entry in the history.
 * @param write returns the rows that it has written
 * @returns those rows, or none if an earlier attempt has written them; null if there was nothing to write
 * @throws AppError `unavailable`
 */
export function writeRecorded<Row>(
  db: Db,
  action: ReviewAction,
  now: number,
  write: (tx: Db) => Promise<Row[]>,
): Promise<Row[] | null> {
  const id = newId();
  return inTransaction(db, async (tx) => {
    const written = await write(tx);
    if (written.length > 0) {
      await recordActions(tx, [{ ...action, id }], now);
      return written;
    }
    const mine = eq(reviewActions.id, id);
    const [entry] = await tx.select({ id: reviewActions.id }).from(reviewActions).where(mine);
    return entry ? [] : null;
  });
}

const WithReason = z.object({ reason: Reason });

/** The reason of an action as it is stored. @throws AppError `invalid_body` */
export const requireReason = (reason: string): string =>
  parse(WithReason, { reason }, 'invalid_body').reason;
