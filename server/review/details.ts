import type { RegistrationRow } from '#db/schema/index.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import { matchPayments, naming, type Payment, type PaymentMatch } from '#server/payments/index.ts';
import { noteFromKey, noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import type { ReviewContext } from './context.ts';
import { statusChanges, type RecentDecision } from './decisions.ts';
import { presentItem, type QueueItem } from './queue-item.ts';
import { ownDecisions, readQueueState, type QueueState } from './queue-state.ts';
import { registrationByNote, type ReviewedRegistration } from './registration-row.ts';

/** One registration with everything known about it. */

/** Another registration for the same node, name or payment. */
export type RelatedRegistration = Pick<
  ReviewedRegistration,
  'note' | 'name' | 'status' | 'updatedAt' | 'decidedBy'
>;

/** Newest change first. `total` also counts those that are left out. */
export interface RelatedRegistrations {
  rows: RelatedRegistration[];
  total: number;
}

export interface RegistrationDetails extends QueueItem {
  /** The node now: its heartbeat, and what it announced. */
  node: Pick<NodeDetails, 'peer' | 'reportedStatus' | 'computes' | 'blocked'>;
  /** Of a payment that the confirmation text names: whose note it carries, and who else names it. */
  samePayment: RelatedRegistrations;
  /** With the same confirmation text, waiting or active. */
  sameConfirmation: RelatedRegistrations;
  sameNode: RelatedRegistrations;
  sameName: RelatedRegistrations;
}

export interface StatusChange {
  at: string;
  actor: string;
  from: RegistrationStatus | null;
  to: RegistrationStatus;
  reason: string | null;
}

/** Related registrations that are shown. */
const RELATED_LIMIT = 10;

/** One registration with its history. @throws AppError `not_found`, `unavailable` */
export async function reviewedRegistration(
  context: ReviewContext,
  { reviewer, note }: { reviewer: string; note: string },
  now = context.clock(),
): Promise<{
  updatedAt: string;
  registration: RegistrationDetails;
  history: StatusChange[];
  /** The reviewer's decisions that can still be undone. */
  mine: RecentDecision[];
}> {
  const row = registrationByNote(context.reviewIndex, note);
  const [state, matches, changes] = await Promise.all([
    readQueueState(context, now),
    matchPayments(context, [row]),
    statusChanges(context, row.id),
  ]);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    registration: presentDetails(context, row, state, matches.get(row.id), now),
    history: changes.map(({ at, actor, fromStatus, toStatus, reason }) => {
      return { at: at.toISOString(), actor, from: fromStatus, to: toStatus, reason };
    }),
    mine: ownDecisions(state, reviewer),
  };
}

export function presentDetails(
  context: ReviewContext,
  row: RegistrationRow,
  state: QueueState,
  match: PaymentMatch | undefined,
  now: number,
): RegistrationDetails {
  const { peer, reportedStatus, computes, blocked } = context.nodes.details(row.nodeId, now);
  const related = (rows: RegistrationRow[]) => {
    const others = rows.filter(({ id }) => id !== row.id);
    return { rows: others.slice(0, RELATED_LIMIT).map(presentRelated), total: others.length };
  };
  return {
    ...presentItem(context, row, state, match, now),
    node: { peer, reportedStatus, computes, blocked },
    samePayment: related(samePayment(context, match?.named ?? [])),
    sameConfirmation: related(context.reviewIndex.ofConfirmation(row)),
    sameNode: related(context.reviewIndex.ofNode(row.nodeId)),
    sameName: related(context.reviewIndex.ofName(row.name)),
  };
}

function samePayment({ reviewIndex }: ReviewContext, named: Payment[]): RegistrationRow[] {
  const keyed = named.map(({ id, note }) => ({ id, noteKey: noteKey(note) }));
  const notes = [
    ...keyed.flatMap(({ noteKey }) => (noteKey === null ? [] : [noteFromKey(noteKey)])),
    ...[...naming(keyed, reviewIndex.newest()).values()].flat().map(({ note }) => note),
  ];
  return [...new Set(notes)].flatMap((note) => reviewIndex.byNote(note) ?? []);
}

const presentRelated = (row: RegistrationRow): RelatedRegistration => ({
  note: row.paymentNote,
  name: row.name,
  status: row.status,
  updatedAt: row.updatedAt.toISOString(),
  decidedBy: row.decidedBy,
});
