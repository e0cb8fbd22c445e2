import {
  never,
  OPERATOR,
  ANSWERED_REASON,
  ASKED_REASON,
  PROVED_REASON,
  SYSTEM,
  type DecisionKind,
  type PeerStatus,
  type RegistrationStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import type { PaymentRow, QueueItem, StatusChange } from '#server/review/index.ts';
import { reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import type { HistoryEvent } from '#server/audit/history.schema.ts';
import type { HistoryEntry } from '#server/audit/index.ts';
import { counted, dollars } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** What the dashboard calls states, decisions and changes. */

/** A state in words, with the shape of a state, as `Status` shows it. */
export interface Label {
  status: PeerStatus | 'unknown';
  word: string;
}

export const STATUS_LABEL: Record<RegistrationStatus, Label> = {
  pending_payment: { status: 'idle', word: 'waiting for payment' },
  pending_review: { status: 'syncing', word: 'waiting for review' },
  active: { status: 'online', word: 'active' },
  rejected: { status: 'offline', word: 'rejected' },
};

/** A reservation that expired unpaid was not rejected by anybody, nor one that its operator cancelled. */
export const statusLabel = ({
  status,
  decidedBy,
}: Pick<QueueItem, 'status' | 'decidedBy'>): Label =>
  status === 'rejected' && (decidedBy === SYSTEM || decidedBy === OPERATOR)
    ? { status: 'offline', word: decidedBy === SYSTEM ? 'expired' : 'cancelled' }
    : STATUS_LABEL[status];

export function paymentLabel({ payment }: Pick<QueueItem, 'payment'>): Label {
  switch (payment.state) {
    case 'found':
      return { status: 'online', word: 'payment found' };
    case 'differs':
      return { status: 'idle', word: 'amount differs' };
    case 'several':
      return { status: 'idle', word: 'several payments' };
    case 'none':
      return payment.named.length > 0
        ? { status: 'idle', word: 'note differs' }
        : { status: 'unknown', word: 'not in an import yet' };
    default:
      return never(payment.state);
  }
}

/** "1 registration", "12 registrations". */
export const registrations = (n: number) => counted(n, 'registration');

/** The same more exactly: "$4.00 of $5.00"; null where nothing is to be said. */
export function paymentDetail({ note, payment, feeUsd }: QueueItem): string | null {
  const [first, ...more] = payment.payments;
  if (!first) return null;
  if (payment.state === 'differs') return `${dollars(first.amountUsd)} of ${dollars(feeUsd)}`;
  if (more.length > 0) return `${numeral(more.length + 1)} of ${dollars(first.amountUsd)}`;
  return `${dollars(first.amountUsd)}, ${noteComparison(first, note)}`;
}

export const numeral = (n: number) => (n === 2 ? 'two' : String(n));

/** Whether a payment has the note alone, or among other words. */
export const noteComparison = ({ note }: PaymentRow, exact: string) =>
  note.trim().toUpperCase() === exact.toUpperCase() ? 'same note' : `note “${note.trim()}”`;

/** What a button undoes: "Undo accepting garage". */
export const DECIDING: Record<DecisionKind, string> = {
  accept: 'accepting',
  reject: 'rejecting',
  revoke: 'revoking',
};

/** A decision: "Accepted garage". */
export const DECIDED: Record<DecisionKind, string> = {
  accept: 'Accepted',
  reject: 'Rejected',
  revoke: 'Revoked',
};

/** A change of status: "Payment reported by the operator". */
export function changeLabel({ from, to, actor, reason }: Omit<StatusChange, 'at'>) {
  if (to === 'rejected' && actor === SYSTEM) return 'Reservation expired';
  if (from === to && reason === PROVED_REASON) return 'Proved by the node’s key';
  if (from === to && reason === ASKED_REASON) return `Question asked by ${actor}`;
  if (from === to && reason === ANSWERED_REASON) return 'Question answered by the operator';
  const by = { operator: 'the operator', system: 'the system' }[actor] ?? actor;
  return `${changeVerb(from, to, actor === OPERATOR)} by ${by}`;
}

function changeVerb(from: RegistrationStatus | null, to: RegistrationStatus, byOperator: boolean) {
  if (from === null) return 'Started';
  if (from === to) return 'Details corrected';
  // Its operator reports a payment late; a reviewer undoes a decision.
  if (to !== 'rejected' && (from === 'active' || (from === 'rejected' && !byOperator)))
    return 'Decision undone';
  switch (to) {
    case 'pending_payment':
      return 'Started';
    case 'pending_review':
      return from === 'rejected' ? 'Payment reported late' : 'Payment reported';
    case 'active':
      return 'Accepted';
    case 'rejected':
      if (byOperator) return from === 'active' ? 'Released' : 'Cancelled';
      return from === 'active' ? 'Revoked' : 'Rejected';
    default:
      return never(to);
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

/** What the page calls an event. The CSV download has the events' own names. */
export const eventLabel = (event: HistoryEvent): string =>
  EVENT_LABEL[event] ?? event.replaceAll('_', ' ');

/** Those that say more than their names. */
const EVENT_LABEL: Partial<Record<HistoryEvent, string>> = {
  started: 'registration started',
  confirmed: 'payment reported',
  accepted: 'registration accepted',
  rejected: 'registration rejected',
  revoked: 'registration revoked',
  undone: 'decision undone',
  expired: 'reservation expired',
  corrected: 'details corrected',
  proved: 'proved by the node’s key',
  asked: 'question asked',
  answered: 'question answered',
  cancelled: 'registration cancelled',
  released: 'name released by its operator',
  registration_assigned: 'registration assigned',
  remark_written: 'remark written',
  access_link_made: 'access link created',
};

/** The page that shows an entry's subject. */
export function subjectHref({
  event,
  subject,
  note,
}: Pick<HistoryEntry, 'event' | 'subject' | 'note'>): string {
  if (note !== null) return hrefs.review.registration(note);
  if (event.startsWith('name_')) return reservedNamesHref({ q: subject, page: 1 });
  if (event === 'registration_assigned' || event === 'remark_written')
    return hrefs.review.registration(subject);
  if (event.startsWith('node_')) return hrefs.node(subject);
  if (event === 'payments_imported') return hrefs.review.payments({ tab: 'imports' });
  return hrefs.review.reviewers();
}
