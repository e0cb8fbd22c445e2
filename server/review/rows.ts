import type { ComputeStatus, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationRow } from '#db/schema/index.ts';
import { computeStatus } from '#server/computes/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import type { NodesService } from '#server/nodes/index.ts';
import { matchPayments, type Payment } from '#server/payments/index.ts';
import {
  nodeProofOf,
  noticesThatAsk,
  readQuestions,
  type Asked,
  type ReviewIndex,
} from '#server/registration/index.ts';
import type { QueueState } from './presence.ts';
import { readWork } from './work.ts';

/** Registrations as reviewers see them. */

/** What the review functions need beyond the service context. */
export interface ReviewContext extends ServiceContext {
  readonly reviewIndex: ReviewIndex;
  readonly nodes: Pick<NodesService, 'details'>;
}

export type ReviewedRegistration = ReturnType<typeof presentRow>;

/** A registration in a list: everything but its id, which is its operator's secret. */
export const presentRow = (context: ReviewContext, row: RegistrationRow) => ({
  /** The payment note, by which everything refers to it. */
  note: row.paymentNote,
  name: row.name,
  label: row.label,
  kinds: row.kinds,
  class: row.class,
  region: row.region,
  nodeId: row.nodeId,
  status: row.status,
  /** Grows with every change. A rejection names the one it is about. */
  rev: row.rev,
  feeUsd: row.feeCents / 100,
  /** The confirmation text. */
  cashConfirm: row.cashConfirm,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  confirmedAt: row.confirmedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
  activatedAt: row.activatedAt?.toISOString() ?? null,
  decidedAt: row.decidedAt?.toISOString() ?? null,
  decidedBy: row.decidedBy,
  rejectionReason: row.rejectionReason,
  ...nodeProofOf(context, row),
  /** Those of its notices despite which a reviewer has to accept it in so many words. */
  noticesThatAsk: row.status === 'pending_review' ? noticesThatAsk(context, row) : [],
});

/**
 * What the database knows of registrations beyond their rows: payments, questions, and the reviewers' own work.
 * @throws AppError `unavailable`
 */
export async function readKnown(context: ReviewContext, rows: RegistrationRow[]) {
  const ids = rows.map(({ id }) => id);
  const [matches, asked, work] = await Promise.all([
    matchPayments(context, rows),
    withRetry(() => readQuestions(context.db, ids)),
    withRetry(() => readWork(context.db, ids)),
  ]);
  return { matches, asked, work };
}
export type Known = Awaited<ReturnType<typeof readKnown>>;

export type QueueItem = ReturnType<typeof presentItem>;

/** A row of the queue. */
export const presentItem = (
  context: ReviewContext,
  row: RegistrationRow,
  state: QueueState,
  { matches, asked, work }: Known,
  now: number,
) => ({
  ...presentRow(context, row),
  payment: {
    state: matches.get(row.id)?.state ?? 'none',
    payments: (matches.get(row.id)?.payments ?? []).map(presentPayment),
    /** Payments with another note that the confirmation text mentions. A person has to judge them. */
    named: (matches.get(row.id)?.named ?? []).map(presentPayment),
  },
  /** Another waiting or active registration has the same confirmation text. */
  duplicateConfirmation: context.reviewIndex.sharesConfirmation(row),
  /** Of the questions to its operator: `open` while one has no answer; null if nobody has asked. */
  asked: askedState(asked.get(row.id) ?? []),
  /** The address of the reviewer who sees to it; null: nobody. */
  assignee: work.get(row.id)?.assignee ?? null,
  nodeState: nodeState(context, row, now),
  /** The address of the reviewer who has it open; null if nobody has. */
  viewer: state.presence.get(row.id)?.reviewer ?? null,
});

const askedState = (questions: Asked[]) =>
  questions.length === 0
    ? null
    : questions.some(({ answers }) => answers.length === 0)
      ? 'open'
      : 'answered';

export type PaymentRow = ReturnType<typeof presentPayment>;

/** `id` is the payment app's transaction id. */
export const presentPayment = ({ id, paidAt, amountCents, note }: Payment) => {
  return { id, paidAt: paidAt.toISOString(), amountUsd: amountCents / 100, note };
};

/** Of the node, or else of the compute offer it announced under the name; null if neither ever reported. */
export type NodeState = PeerStatus | ComputeStatus | 'blocked' | null;

function nodeState(
  { live, config }: ServiceContext,
  { nodeId, name }: RegistrationRow,
  now: number,
): NodeState {
  if (live.nodes.isBlocked(nodeId)) return 'blocked';
  const peer = live.peers.get(nodeId);
  if (peer) return peerStatus(peer, now);
  const compute = live.computes.get(`${nodeId}:${name}`);
  return compute ? computeStatus(compute, now, config.computeFreshMs) : null;
}
