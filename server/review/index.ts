import { lte } from 'drizzle-orm';
import { reviewPresence } from '#db/schema/index.ts';
import type { Expired, Repeated } from '#server/common/rooms.ts';
import { sessionHolds } from '#server/accounts/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NodesService } from '#server/nodes/index.ts';
import type { InTransaction, ReviewIndex } from '#server/registration/index.ts';
import { acceptOutcomes, acceptTogether, paidAndWaiting } from './bulk-accept.ts';
import { outcomesOf, rejectTogether, type Rejections } from './bulk-reject.ts';
import { acceptNow, decide, undo, undoAll, type NewDecision } from './decisions.ts';
import { reviewedRegistration } from './details.ts';
import { markClosed, markOpen, PRESENCE_MS } from './presence.ts';
import { countUndecided, nextInQueue, reviewQueue, type QueueRequest } from './queue.ts';
import { QueueWatch } from './queue-changes.ts';
import { searchRegistrations } from './search.ts';
import type { ReviewSearch } from './search.schema.ts';
import { DecisionSweeper } from './sweeper.ts';
import type { Decision } from './transitions.ts';

export type { LeftOut, Outcome } from './bulk-accept.ts';
export { UNDO_MS, type PendingDecision } from './decisions.ts';
export type { RejectedTogether, RejectionOutcome } from './bulk-reject.ts';
export type { RegistrationDetails, RelatedRegistration, StatusChange } from './details.ts';
export { sweepDecisions } from './sweeper.ts';
export { accept, reject, revoke, statusChanges } from './transitions.ts';
export type { ReviewQueue } from './queue.ts';
export type { NodeState, PaymentRow, QueueItem } from './queue-item.ts';
export type { ReviewedRegistration } from './registration-row.ts';
export type { RegistrationsPage } from './search.ts';

/** How often due decisions are carried out, also those of a process that died or whose clock is ahead, milliseconds. */
const SWEEP_MS = 30_000;

/** The reviewers' side: the queue and decisions. */
export function createReview(
  context: ServiceContext,
  sources: { reviewIndex: ReviewIndex; nodes: Pick<NodesService, 'details'> },
) {
  const { db, clock } = context;
  const reviewing = { ...context, ...sources };
  const watch = new QueueWatch(reviewing);
  const sweeper = new DecisionSweeper(context);

  const review = {
    queue: (request: QueueRequest) => reviewQueue(reviewing, request),
    countUndecided: () => countUndecided(reviewing),
    next: (after: { note: string; reviewer: string }) => nextInQueue(reviewing, after),
    registration: (request: { note: string; reviewer: string }) =>
      reviewedRegistration(reviewing, request),
    search: (search: ReviewSearch) => searchRegistrations(reviewing, search),
    /** Emits whenever the queue changes, until the session ends. */
    changes: (sessionId: string, signal: AbortSignal) =>
      watch.changes(() => sessionHolds(db, sessionId, clock()), signal),
    async markOpen(input: Parameters<typeof markOpen>[1]) {
      return { viewer: await markOpen(context, input) };
    },
    markClosed: (input: { note: string; reviewer: string }) => markClosed(context, input),
    async decide(decision: NewDecision) {
      const pending = await decide(context, decision);
      sweeper.wake();
      return pending;
    },
    undo: (decision: { note: string; reviewer: string }) => undo(context, decision),
    async rejectTogether(rejections: Rejections) {
      const outcome = await rejectTogether(reviewing, rejections);
      sweeper.wake();
      return outcome;
    },
    undoTogether: (decisions: { notes: string[]; reviewer: string }) => undoAll(context, decisions),
    outcomes: (notes: string[]) => outcomesOf(sources.reviewIndex, notes),
    /** Registrations that can be accepted together, and those that are left out. */
    paidAndWaiting: () => paidAndWaiting(context, sources.reviewIndex),
    acceptTogether: (notes: string[], reviewer: string) =>
      acceptTogether(context, sources.reviewIndex, notes, reviewer),
    /** The registrations with these notes after they were accepted, or why they were not. */
    acceptOutcomes: (notes: string[]) => acceptOutcomes(context, sources.reviewIndex, notes),
    acceptNow: (decision: Decision, inTransaction: InTransaction) =>
      acceptNow(context, decision, inTransaction),
  };

  const expired: Expired[] = [
    [reviewPresence, (now) => lte(reviewPresence.renewedAt, new Date(now - PRESENCE_MS))],
  ];
  const repeats: Repeated[] = [
    {
      ms: SWEEP_MS,
      failure: 'could not carry out decisions',
      work: () => Promise.resolve(sweeper.wake()),
    },
  ];

  return {
    review,
    expired,
    repeats,
    start: () => sweeper.wake(),
    stop: () => sweeper.stop(),
  };
}
