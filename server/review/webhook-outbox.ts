import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { webhookMessages, type RegistrationRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { SYSTEM } from '#server/common/values.schema.ts';

/**
 * What REVIEW_WEBHOOK_URL is told. Neither the id of the registration, which is its operator's secret,
 * nor what the operator wrote for the reviewers.
 */
export interface WebhookMessage {
  type: 'registration.waiting' | 'registration.decided';
  /** When it happened. */
  timestamp: string;
  data: {
    name: string;
    nodeId: string;
    kinds: string[];
    feeUsd: number;
    paymentNote: string;
    status: string;
    /** Of a decision. */
    decidedBy: string | null;
    reason: string | null;
    /** The reviewers' page; null where PUBLIC_URL is not configured. */
    url: string | null;
  };
}

/**
 * Writes the message that a change of state is worth, in the transaction that makes the change: neither
 * is there without the other.
 */
export async function enqueueMessage(
  tx: Db,
  s: ServiceContext,
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
  now: number,
): Promise<void> {
  const type = worthTelling(before, row);
  if (s.config.reviewWebhook === null || type === null) return;
  const at = new Date(now);
  const decided = type === 'registration.decided';
  const { publicUrl } = s.config;
  const message: WebhookMessage = {
    type,
    timestamp: at.toISOString(),
    data: {
      name: row.name,
      nodeId: row.nodeId,
      kinds: row.kinds,
      feeUsd: row.feeCents / 100,
      paymentNote: row.paymentNote,
      status: row.status,
      decidedBy: decided ? row.decidedBy : null,
      reason: decided ? row.rejectionReason : null,
      url: publicUrl === undefined ? null : `${publicUrl}/review/registrations/${row.paymentNote}`,
    },
  };
  await tx.insert(webhookMessages).values({
    id: `msg_${randomBytes(16).toString('base64url')}`,
    body: JSON.stringify(message),
    createdAt: at,
    nextAttemptAt: at,
  });
}

/** Not that a hold ran out: nobody waits for that. */
function worthTelling(
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
): WebhookMessage['type'] | null {
  if (row.status === before.status) return null;
  if (row.status === 'pending_review') return 'registration.waiting';
  const byReviewer = row.decidedBy !== null && row.decidedBy !== SYSTEM;
  return byReviewer && (row.status === 'active' || row.status === 'rejected')
    ? 'registration.decided'
    : null;
}
