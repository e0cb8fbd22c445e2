import {
  SYSTEM,
  type DecisionKind,
  type PeerStatus,
  type RegistrationStatus,
} from '#server/common/values.schema.ts';
import type { HistoryEntry, PaymentRow, QueueItem } from '#server/review/review-desk.ts';
import { dollars } from '#app/lib/formatters.ts';

/** How reviewers' pages call things. The sign of a state is one of the map's. */

export const STATUS: Record<RegistrationStatus, { word: string; sign: PeerStatus }> = {
  pending_payment: { word: 'waiting for payment', sign: 'idle' },
  pending_review: { word: 'waiting for review', sign: 'syncing' },
  active: { word: 'active', sign: 'online' },
  rejected: { word: 'rejected', sign: 'offline' },
};

/** A hold that ended unpaid was refused by nobody. */
export const statusWords = ({
  status,
  decidedBy,
}: Pick<QueueItem, 'status' | 'decidedBy'>): { word: string; sign: PeerStatus } =>
  status === 'rejected' && decidedBy === SYSTEM
    ? { ...STATUS.rejected, word: 'lapsed' }
    : STATUS[status];

export function paymentWords({ payment }: Pick<QueueItem, 'payment'>): {
  word: string;
  sign: PeerStatus;
} {
  const [first] = payment.payments;
  switch (payment.state) {
    case 'found':
      return { word: 'payment found', sign: 'online' };
    case 'differs':
      return { word: `amount differs: ${first ? dollars(first.amountUsd) : ''}`, sign: 'idle' };
    case 'several':
      return { word: `${numeral(payment.payments.length)} payments`, sign: 'syncing' };
    case 'none':
      return payment.named.length > 0
        ? { word: 'no payment yet, another is named', sign: 'idle' }
        : { word: 'no payment yet', sign: 'offline' };
  }
}

export const numeral = (n: number) => (n === 2 ? 'two' : String(n));

/** Whether a payment carries the very note, or the note within other words. */
export const noteWords = ({ note }: PaymentRow, exact: string) =>
  note.trim().toUpperCase() === exact.toUpperCase() ? 'same note' : `note “${note.trim()}”`;

/** The decision as it is made: "Accepting garage". */
export const DOING: Record<DecisionKind, string> = {
  accept: 'Accepting',
  reject: 'Rejecting',
  revoke: 'Revoking',
};
/** Who does it: "ada accepts". */
export const DOES: Record<DecisionKind, string> = {
  accept: 'accepts',
  reject: 'rejects',
  revoke: 'revokes',
};
/** Once it has taken effect: "Accepted garage". */
export const DONE: Record<DecisionKind, string> = {
  accept: 'Accepted',
  reject: 'Rejected',
  revoke: 'Revoked',
};

/** A change of state in words: "Confirmed by the operator". */
export function changeWords({ from, to, actor }: Pick<HistoryEntry, 'from' | 'to' | 'actor'>) {
  const by = { operator: 'the operator', system: 'the system' }[actor] ?? actor;
  return `${changeWord(from, to, actor)} by ${by}`;
}

function changeWord(from: RegistrationStatus | null, to: RegistrationStatus, actor: string) {
  if (from === null) return 'Started';
  switch (to) {
    case 'pending_payment':
      return 'Set back to payment';
    case 'pending_review':
      return from === 'rejected' ? 'Confirmed late' : 'Payment confirmed';
    case 'active':
      return 'Accepted';
    case 'rejected':
      return actor === SYSTEM ? 'Ended' : from === 'active' ? 'Revoked' : 'Rejected';
  }
}

/** How long something has waited: "38 min", "2 h 10 min", "3 d 4 h". */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
