import { withRetry } from '#server/common/with-retry.ts';
import { reviewDecisions, type RegistrationRow } from '#db/schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { ReviewSearch } from './search.schema.ts';
import type {
  ComputeStatus,
  PeerStatus,
  RegistrationStatus,
} from '#server/common/values.schema.ts';
import { computeStatus } from '#server/computes/index.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { peerStatus, type MeshService, type NodeDetails } from '#server/mesh/index.ts';
import { naming } from '#server/payments/hints.ts';
import { noteFromKey, noteKey } from '#server/payments/note.schema.ts';
import { paymentStates, type Payment, type PaymentState } from '#server/payments/payments.ts';
import { presentDecision, type DecisionRow, type PendingDecision } from './decisions.ts';
import type { ReviewIndex } from './index-by-note.ts';
import { currentPresence, markOpen, type PresenceRow } from './presence.ts';
import { history } from './transitions.ts';

/**
 * What reviewers see: the queue, one registration with all that is known of it, and the search over all.
 * Registrations, nodes and computes come from the read model; who has what open, decisions and payments
 * are asked of the database. A registration goes by its payment note: its id is its operator's secret.
 */
export type ReviewContext = ServiceContext & {
  readonly index: ReviewIndex;
  readonly mesh: Pick<MeshService, 'node'>;
};

/** A registration in a list. */
export interface ReviewedRegistration {
  /** By which everything addresses it. */
  note: string;
  name: string;
  label: string;
  kinds: RegistrationRow['kinds'];
  class: RegistrationRow['class'];
  region: string;
  nodeId: string;
  status: RegistrationStatus;
  /** Grows with every change: a rejection says which one it is about. */
  rev: number;
  feeUsd: number;
  /** What the operator wrote with the confirmation. */
  cashConfirm: string | null;
  createdAt: string;
  updatedAt: string;
  confirmedAt: string | null;
  expiresAt: string;
  activatedAt: string | null;
  decidedAt: string | null;
  decidedBy: string | null;
  rejectionReason: string | null;
}

export interface PaymentRow {
  /** Of the payment app: to find it there. */
  id: string;
  paidAt: string;
  amountUsd: number;
  note: string;
}

/** Of the node, else of the compute that it announced under the name; null where neither was ever heard of. */
export type NodeState = PeerStatus | ComputeStatus | 'blocked' | null;

export interface QueueItem extends ReviewedRegistration {
  /** `named`: with another note, which the confirmation text names; a person decides what it is. */
  payment: { state: PaymentState['state']; payments: PaymentRow[]; named: PaymentRow[] };
  nodeState: NodeState;
  /** The address of the reviewer who has it open; null if nobody has. */
  viewer: string | null;
  decision: PendingDecision | null;
}

/** Another registration of the same node or name. */
export type Other = Pick<
  ReviewedRegistration,
  'note' | 'name' | 'status' | 'updatedAt' | 'decidedBy'
>;

export interface Opened extends QueueItem {
  /** The node as it is now: its heartbeat, and what it announced. */
  node: Pick<NodeDetails, 'peer' | 'reportedStatus' | 'computes' | 'blocked'>;
  /** Who else a payment may be for that the confirmation text names: whose note it has, and who names it too. */
  ofPayment: { rows: Other[]; total: number };
  /** Newest change first; `total` counts those that are left out too. */
  ofNode: { rows: Other[]; total: number };
  ofName: { rows: Other[]; total: number };
}

export interface HistoryEntry {
  at: string;
  actor: string;
  from: RegistrationStatus | null;
  to: RegistrationStatus;
  reason: string | null;
}

export interface QueueRequest {
  /** The address of the reviewer who asks. */
  reviewer: string;
  open?: string | undefined;
  markOpen?: boolean;
}

export interface ReviewQueue {
  updatedAt: string;
  /** All that wait, and how many of them nobody has decided. */
  total: number;
  undecided: number;
  /** What a registration costs now. */
  usualFeeUsd: number;
  /** The oldest claim first; at most {@link QUEUE_LIMIT}. */
  items: QueueItem[];
  /** The reviewer's own decisions that have not taken effect, the newest first; of every state. */
  mine: PendingDecision[];
  open: Opened | null;
}

/** Longest list of the queue: what is beyond comes up as the older ones are decided. */
const QUEUE_LIMIT = 200;
/** Other registrations of a node or a name that are shown. */
const OTHERS_LIMIT = 10;
/** Registrations on a page of the search. */
const PAGE_LIMIT = 50;

/** What reviewers are about to do, of every process. */
interface Desk {
  presence: Map<string, PresenceRow>;
  decisions: Map<string, DecisionRow>;
}

export async function readDesk(s: ServiceContext, now: number): Promise<Desk> {
  const [presence, decisions] = await withRetry(() =>
    Promise.all([currentPresence(s, now), s.db.select().from(reviewDecisions)]),
  );
  return {
    presence: new Map(presence.map((row) => [row.registrationId, row])),
    decisions: new Map(decisions.map((row) => [row.registrationId, row])),
  };
}

/**
 * The queue as one reviewer sees it.
 * @param asked.open the note of the registration that is open beside it
 * @param asked.markOpen also record that the reviewer has that one open, if it waits for review
 * @throws AppError `not_found` (no registration has the note `open`), `unavailable`
 */
export async function reviewQueue(
  s: ReviewContext,
  { reviewer, open, markOpen: mark = false }: QueueRequest,
  now = s.clock(),
): Promise<ReviewQueue> {
  const opened = open === undefined ? null : registrationRow(s, open);
  if (mark && opened?.status === 'pending_review')
    await markOpen(s, { note: opened.paymentNote, reviewer }, now);
  const desk = await readDesk(s, now);
  const queue = s.index.queue();
  const rows = queue.slice(0, QUEUE_LIMIT);
  const payments = await paymentStates(s, opened ? [...rows, opened] : rows);
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    total: queue.length,
    undecided: queue.filter(({ id }) => !desk.decisions.has(id)).length,
    usualFeeUsd: s.config.feeCents / 100,
    items: rows.map((row) => presentItem(s, row, desk, payments, now)),
    mine: ownDecisions(s, desk, reviewer),
    open: opened && presentOpened(s, opened, desk, payments, now),
  };
}

/** How many waiting registrations nobody has decided yet. @throws AppError `unavailable` */
export async function countUndecided(s: ReviewContext): Promise<number> {
  const decided = await withRetry(() =>
    s.db.select({ id: reviewDecisions.registrationId }).from(reviewDecisions),
  );
  const ids = new Set(decided.map(({ id }) => id));
  return s.index.queue().filter(({ id }) => !ids.has(id)).length;
}

/** One registration with its history. @throws AppError `not_found`, `unavailable` */
export async function reviewedRegistration(
  s: ReviewContext,
  { reviewer, note }: { reviewer: string; note: string },
  now = s.clock(),
): Promise<{
  updatedAt: string;
  registration: Opened;
  history: HistoryEntry[];
  mine: PendingDecision[];
}> {
  const row = registrationRow(s, note);
  const [desk, payments, entries] = await Promise.all([
    readDesk(s, now),
    paymentStates(s, [row]),
    history(s, row.id),
  ]);
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    registration: presentOpened(s, row, desk, payments, now),
    history: entries.map(({ at, actor, fromStatus, toStatus, reason }) => {
      return { at: at.toISOString(), actor, from: fromStatus, to: toStatus, reason };
    }),
    mine: ownDecisions(s, desk, reviewer),
  };
}

/**
 * The registration to open after this one: the next in the queue that nobody has decided or open, else
 * one before it.
 */
export async function nextInQueue(
  s: ReviewContext,
  { note, reviewer }: { note: string; reviewer: string },
  now = s.clock(),
): Promise<string | null> {
  const desk = await readDesk(s, now);
  const queue = s.index.queue();
  const at = queue.findIndex(({ paymentNote }) => paymentNote === note);
  const free = [...queue.slice(at + 1), ...queue.slice(0, Math.max(at, 0))].find(
    ({ id }) =>
      !desk.decisions.has(id) && (desk.presence.get(id)?.reviewer ?? reviewer) === reviewer,
  );
  return free?.paymentNote ?? null;
}

export interface RegistrationsPage {
  updatedAt: string;
  /** How many registrations of each state the text finds. */
  counts: Record<RegistrationStatus | 'any', number>;
  page: { number: number; limit: number; total: number };
  rows: ReviewedRegistration[];
}

/** One page of all registrations, the newest change first. Looks at every registration in memory. */
export function searchRegistrations(
  s: ReviewContext,
  { q, status, page: asked }: ReviewSearch,
  now = s.clock(),
): RegistrationsPage {
  const text = q.toLowerCase();
  const counts = { any: 0, pending_payment: 0, pending_review: 0, active: 0, rejected: 0 };
  const found = s.index.newest().filter((row) => {
    if (!matches(row, text)) return false;
    counts.any++;
    counts[row.status]++;
    return status === null || row.status === status;
  });
  const pages = Math.max(1, Math.ceil(found.length / PAGE_LIMIT));
  const number = Math.min(asked, pages);
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    counts,
    page: { number, limit: PAGE_LIMIT, total: found.length },
    rows: found.slice((number - 1) * PAGE_LIMIT, number * PAGE_LIMIT).map(presentRow),
  };
}

/** `text` in lower case. */
const matches = (
  { name, label, paymentNote, nodeId, cashConfirm }: RegistrationRow,
  text: string,
): boolean =>
  text === '' ||
  name.includes(text) ||
  label.toLowerCase().includes(text) ||
  paymentNote.toLowerCase().includes(text) ||
  nodeId.toLowerCase().includes(text) ||
  (cashConfirm?.toLowerCase().includes(text) ?? false);

/** @throws AppError `not_found` */
function registrationRow(s: ReviewContext, note: string): RegistrationRow {
  const row = s.index.byNote(note);
  if (!row) throw new AppError('not_found', 'There is no registration with this payment note.');
  return row;
}

/** Everything but the id. */
export const presentRow = (row: RegistrationRow): ReviewedRegistration => ({
  note: row.paymentNote,
  name: row.name,
  label: row.label,
  kinds: row.kinds,
  class: row.class,
  region: row.region,
  nodeId: row.nodeId,
  status: row.status,
  rev: row.rev,
  feeUsd: row.feeCents / 100,
  cashConfirm: row.cashConfirm,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  confirmedAt: row.confirmedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
  activatedAt: row.activatedAt?.toISOString() ?? null,
  decidedAt: row.decidedAt?.toISOString() ?? null,
  decidedBy: row.decidedBy,
  rejectionReason: row.rejectionReason,
});

function presentItem(
  s: ReviewContext,
  row: RegistrationRow,
  desk: Desk,
  payments: Map<string, PaymentState>,
  now: number,
): QueueItem {
  const payment = payments.get(row.id);
  const decision = desk.decisions.get(row.id);
  return {
    ...presentRow(row),
    payment: {
      state: payment?.state ?? 'none',
      payments: (payment?.payments ?? []).map(presentPaymentRow),
      named: (payment?.named ?? []).map(presentPaymentRow),
    },
    nodeState: nodeState(s, row, now),
    viewer: desk.presence.get(row.id)?.reviewer ?? null,
    decision: decision ? presentDecision(decision, row) : null,
  };
}

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

function presentOpened(
  s: ReviewContext,
  row: RegistrationRow,
  desk: Desk,
  payments: Map<string, PaymentState>,
  now: number,
): Opened {
  const { peer, reportedStatus, computes, blocked } = s.mesh.node(row.nodeId, now);
  const others = (rows: RegistrationRow[]) => {
    const rest = rows.filter(({ id }) => id !== row.id);
    return { rows: rest.slice(0, OTHERS_LIMIT).map(presentOther), total: rest.length };
  };
  return {
    ...presentItem(s, row, desk, payments, now),
    node: { peer, reportedStatus, computes, blocked },
    ofPayment: others(ofSamePayment(s, payments.get(row.id)?.named ?? [])),
    ofNode: others(s.index.ofNode(row.nodeId)),
    ofName: others(s.index.ofName(row.name)),
  };
}

const presentPaymentRow = ({ id, paidAt, amountCents, note }: Payment): PaymentRow => {
  return { id, paidAt: paidAt.toISOString(), amountUsd: amountCents / 100, note };
};

function ofSamePayment({ index }: ReviewContext, named: Payment[]): RegistrationRow[] {
  const keyed = named.map(({ id, note }) => ({ id, noteKey: noteKey(note) }));
  const notes = [
    ...keyed.flatMap(({ noteKey }) => (noteKey === null ? [] : [noteFromKey(noteKey)])),
    ...[...naming(keyed, index.newest()).values()].flat().map(({ note }) => note),
  ];
  return [...new Set(notes)].flatMap((note) => index.byNote(note) ?? []);
}

const presentOther = (row: RegistrationRow): Other => ({
  note: row.paymentNote,
  name: row.name,
  status: row.status,
  updatedAt: row.updatedAt.toISOString(),
  decidedBy: row.decidedBy,
});

const ownDecisions = (s: ReviewContext, { decisions }: Desk, reviewer: string): PendingDecision[] =>
  [...decisions.values()]
    .filter((decision) => decision.reviewer === reviewer)
    .sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
    .flatMap((decision) => {
      const row = s.live.registrations.get(decision.registrationId);
      return row ? [presentDecision(decision, row)] : [];
    });
