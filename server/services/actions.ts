import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { reviewActions } from '../../db/schema.ts';
import type { Action } from '../schemas/values.ts';

export interface ReviewAction {
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
    id: randomBytes(12).toString('base64url'),
    at: new Date(now),
    ...action,
    reason: action.reason ?? null,
  });
}
