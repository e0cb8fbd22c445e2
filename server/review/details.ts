import type { RegistrationRow } from '#db/schema/index.ts';
import { matchPayments, naming, type Payment, type PaymentMatch } from '#server/payments/index.ts';
import { noteFromKey, noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import { registrationByNote, statusChanges, type StatusChangeRow } from './decisions.ts';
import { ownDecisions, readQueueState, type QueueState } from './presence.ts';
import { presentItem, type ReviewContext } from './rows.ts';

/** One registration with everything known about it. */

/** Related registrations that are shown. */
const RELATED_LIMIT = 10;

/** One registration with its history. @throws AppError `not_found`, `unavailable` */
export async function reviewedRegistration(
  context: ReviewContext,
  { reviewer, note }: { reviewer: string; note: string },
  now = context.clock(),
) {
  const row = registrationByNote(context.reviewIndex, note);
  const [state, matches, changes] = await Promise.all([
    readQueueState(context, now),
    matchPayments(context, [row]),
    statusChanges(context, row.id),
  ]);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    registration: presentDetails(context, row, state, matches.get(row.id), now),
    history: changes.map(presentChange),
    /** The reviewer's decisions that can still be undone. */
    mine: ownDecisions(state, reviewer),
  };
}

export type StatusChange = ReturnType<typeof presentChange>;

const presentChange = ({ at, actor, fromStatus, toStatus, reason }: StatusChangeRow) => {
  return { at: at.toISOString(), actor, from: fromStatus, to: toStatus, reason };
};

export type RegistrationDetails = ReturnType<typeof presentDetails>;

export function presentDetails(
  context: ReviewContext,
  row: RegistrationRow,
  state: QueueState,
  match: PaymentMatch | undefined,
  now: number,
) {
  const { peer, reportedStatus, computes, blocked } = context.nodes.details(row.nodeId, now);
  /** Newest change first. `total` also counts those that are left out. */
  const related = (rows: RegistrationRow[]) => {
    const others = rows.filter(({ id }) => id !== row.id);
    return { rows: others.slice(0, RELATED_LIMIT).map(presentRelated), total: others.length };
  };
  return {
    ...presentItem(context, row, state, match, now),
    /** The node now: its heartbeat, and what it announced. */
    node: { peer, reportedStatus, computes, blocked },
    /** Of a payment that the confirmation text names: whose note it carries, and who else names it. */
    samePayment: related(samePayment(context, match?.named ?? [])),
    /** With the same confirmation text, waiting or active. */
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

/** Another registration for the same node, name or payment. */
const presentRelated = (row: RegistrationRow) => ({
  note: row.paymentNote,
  name: row.name,
  status: row.status,
  updatedAt: row.updatedAt.toISOString(),
  decidedBy: row.decidedBy,
});
