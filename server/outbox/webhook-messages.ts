import { randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { webhookMessages, type RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';

/**
 * What REVIEW_WEBHOOK_URL receives. Without the registration's id, which is its operator's secret, and without the
 * confirmation text, which only reviewers may see.
 */
export interface WebhookMessage {
  type: 'registration.waiting' | 'registration.decided';
  /** Of the event. */
  timestamp: string;
  data: {
    name: string;
    nodeId: string;
    kinds: string[];
    feeUsd: number;
    paymentNote: string;
    status: string;
    /** Null unless the message reports a decision. */
    decidedBy: string | null;
    reason: string | null;
    /** The reviewers' page; null without PUBLIC_URL. */
    url: string | null;
  };
}

/**
 * Writes the message about a change of state, if it is worth one. In the transaction of the change: neither is
 * committed without the other.
 */
export async function enqueueMessage(
  tx: Db,
  s: ServiceContext,
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
  now: number,
): Promise<void> {
  const type = messageType(before, row);
  if (s.config.reviewWebhook === null || type === null) return;
  const at = new Date(now);
  const isDecision = type === 'registration.decided';
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
      decidedBy: isDecision ? row.decidedBy : null,
      reason: isDecision ? row.rejectionReason : null,
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

/** Null for changes that nobody waits for, such as an expired reservation. */
function messageType(
  before: Pick<RegistrationRow, 'status'>,
  row: RegistrationRow,
): WebhookMessage['type'] | null {
  if (row.status === before.status) return null;
  if (row.status === 'pending_review') return 'registration.waiting';
  const decidedByReviewer =
    row.decidedBy !== null && row.decidedBy !== SYSTEM && row.decidedBy !== OPERATOR;
  return decidedByReviewer && (row.status === 'active' || row.status === 'rejected')
    ? 'registration.decided'
    : null;
}
