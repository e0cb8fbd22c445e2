import { eq } from 'drizzle-orm';
import { hash } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { webhookMessages, type RegistrationRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import { OPERATOR, SYSTEM, UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';

export type WebhookMessage = ReturnType<typeof messageFrom>;

/**
 * What REVIEW_WEBHOOK_URL receives. Without the registration's id, which is its operator's secret, and without the
 * confirmation text, which only reviewers may see.
 */
const messageFrom = (
  type: 'registration.waiting' | 'registration.decided',
  row: RegistrationRow,
  at: Date,
  publicUrl: string | undefined,
) => ({
  type,
  /** Of the event. */
  timestamp: at.toISOString(),
  data: {
    name: row.name,
    nodeId: row.nodeId,
    kinds: row.kinds,
    feeUsd: row.feeCents / 100,
    paymentNote: row.paymentNote,
    status: row.status,
    /** Null unless the message reports a decision. */
    decidedBy: type === 'registration.decided' ? row.decidedBy : null,
    reason: type === 'registration.decided' ? row.rejectionReason : null,
    /** The reviewers' page; null without PUBLIC_URL. */
    url: publicUrl === undefined ? null : `${publicUrl}/review/registrations/${row.paymentNote}`,
  },
});

/**
 * Writes the message about a change of state, if it is worth one. In the transaction of the change: neither is
 * committed without the other. That of a decision is due once the decision can no longer be undone.
 */
export async function enqueueMessage(
  tx: Db,
  context: ServiceContext,
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
  now: number,
): Promise<void> {
  const type = messageType(before, row);
  const { reviewWebhook, publicUrl } = context.config;
  if (reviewWebhook === null || type === null) return;
  const at = new Date(now);
  await tx.insert(webhookMessages).values({
    id: webhookMessageId(row.id, { rev: row.rev, at }),
    body: JSON.stringify(messageFrom(type, row, at, publicUrl)),
    createdAt: at,
    nextAttemptAt: type === 'registration.decided' ? new Date(now + UNDO_MS) : at,
  });
}

/**
 * Deletes the message about a change, in the transaction that undoes it.
 * @throws AppError `already_decided` (the receiver was told)
 */
export async function withdrawMessage(
  tx: Db,
  registrationId: string,
  change: { rev: number; at: Date },
): Promise<void> {
  const [message] = await tx
    .delete(webhookMessages)
    .where(eq(webhookMessages.id, webhookMessageId(registrationId, change)))
    .returning();
  if (message && message.attempts > 0) throw undoneTooLate();
}

/** For a decision whose messages are on their way. */
export const undoneTooLate = () =>
  new AppError('already_decided', 'This decision can no longer be undone.');

/** One for each change of a registration. A digest: the registration's id is its operator's secret. */
const webhookMessageId = (registrationId: string, { rev, at }: { rev: number; at: Date }): string =>
  `msg_${hash('sha256', `${registrationId} ${rev} ${at.getTime()}`, 'buffer').subarray(0, 16).toString('base64url')}`;

/** Null for changes that nobody waits for, such as an expired reservation. */
const messageType = (
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
): WebhookMessage['type'] | null =>
  row.status === 'pending_review' && before.status !== 'pending_review'
    ? 'registration.waiting'
    : decisionOf(before, row) && 'registration.decided';

/** What a reviewer has decided by a change; null if it is none of a reviewer, or of no status. */
export function decisionOf(
  before: Pick<RegistrationRow, 'status'>,
  { status, decidedBy }: RegistrationRow,
): 'accepted' | 'rejected' | 'revoked' | null {
  if (status === before.status || decidedBy === null) return null;
  // Nobody needs to hear of what they did themselves.
  if (decidedBy === SYSTEM || decidedBy === OPERATOR) return null;
  if (status === 'active') return 'accepted';
  if (status !== 'rejected') return null;
  return before.status === 'active' ? 'revoked' : 'rejected';
}
