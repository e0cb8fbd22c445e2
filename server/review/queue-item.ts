import type { RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { ComputeStatus, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { computeStatus } from '#server/computes/index.ts';
import { peerStatus } from '#server/mesh/index.ts';
import type { Payment, PaymentMatch } from '#server/payments/index.ts';
import type { ReviewContext } from './context.ts';
import type { QueueState } from './queue-state.ts';
import { presentRow, type ReviewedRegistration } from './registration-row.ts';

export interface PaymentRow {
  /** The payment app's transaction id. */
  id: string;
  paidAt: string;
  amountUsd: number;
  note: string;
}

/** Of the node, or else of the compute offer it announced under the name; null if neither ever reported. */
export type NodeState = PeerStatus | ComputeStatus | 'blocked' | null;

/** A row of the queue. */
export interface QueueItem extends ReviewedRegistration {
  /** `named`: payments with another note that the confirmation text mentions. A person has to judge them. */
  payment: { state: PaymentMatch['state']; payments: PaymentRow[]; named: PaymentRow[] };
  /** Another waiting or active registration has the same confirmation text. */
  duplicateConfirmation: boolean;
  nodeState: NodeState;
  /** The address of the reviewer who has it open; null if nobody has. */
  viewer: string | null;
}

export function presentItem(
  context: ReviewContext,
  row: RegistrationRow,
  state: QueueState,
  match: PaymentMatch | undefined,
  now: number,
): QueueItem {
  return {
    ...presentRow(context, row),
    payment: {
      state: match?.state ?? 'none',
      payments: (match?.payments ?? []).map(presentPayment),
      named: (match?.named ?? []).map(presentPayment),
    },
    duplicateConfirmation: context.reviewIndex.sharesConfirmation(row),
    nodeState: nodeState(context, row, now),
    viewer: state.presence.get(row.id)?.reviewer ?? null,
  };
}

const presentPayment = ({ id, paidAt, amountCents, note }: Payment): PaymentRow => {
  return { id, paidAt: paidAt.toISOString(), amountUsd: amountCents / 100, note };
};

function nodeState(
  { live, config }: ServiceContext,
  { nodeId, name }: RegistrationRow,
  now: number,
): NodeState {
  if (live.isBlocked(nodeId)) return 'blocked';
  const peer = live.peers.get(nodeId);
  if (peer) return peerStatus(peer, now);
  const compute = live.computes.get(`${nodeId}:${name}`);
  return compute ? computeStatus(compute, now, config.computeFreshMs) : null;
}
