import { lte } from 'drizzle-orm';
import { reviewPresence } from '#db/schema/index.ts';
import type { Expired } from '#server/common/rooms.ts';
import { sessionHolds } from '#server/accounts/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NodesService } from '#server/nodes/index.ts';
import type { ReviewIndex } from '#server/registration/index.ts';
import { acceptOutcomes, acceptTogether, paidAndWaiting } from './bulk-accept.ts';
import {
  rejectTogether,
  type Rejections,
  decide,
  recentDecisions,
  undo,
  undoTogether,
  type NewDecision,
} from './decisions.ts';
import { reviewedRegistration } from './details.ts';
import { markClosed, markOpen, PRESENCE_MS } from './presence.ts';
import { ask, type NewQuestion } from './questions.ts';
import { nextInQueue, reviewQueue, type QueueRequest } from './queue.ts';
import { QueueWatch } from './queue-changes.ts';
import { searchRegistrations } from './search.ts';
import type { ReviewSearch } from './search.schema.ts';
import { assign, remark, type Assignment, type Remark } from './work.ts';
import { carryOutLeftover } from './leftover-decisions.ts';

export type { LeftOut, Outcome } from './bulk-accept.ts';
export { statusChanges, type RecentDecision, type RejectedTogether } from './decisions.ts';
export type { RegistrationDetails, StatusChange } from './details.ts';
export type { NodeState, PaymentRow, QueueItem, ReviewedRegistration } from './rows.ts';

/** How often a server looks for decisions that one of the release before has left, milliseconds. */
const LEFTOVER_MS = 10_000;

/** The reviewers' side: the queue and decisions. */
export function createReview(
  context: ServiceContext,
  sources: { reviewIndex: ReviewIndex; nodes: Pick<NodesService, 'details'> },
) {
  const { db, clock } = context;
  const reviewing = { ...context, ...sources };
  const watch = new QueueWatch(reviewing);

  const leftover = {
    ms: LEFTOVER_MS,
    failure: 'could not carry out decisions of the release before',
    work: () => carryOutLeftover(reviewing),
  };

  const review = {
    queue: (request: QueueRequest) => reviewQueue(reviewing, request),
    /** The reviewer's decisions that can still be undone, newest first. */
    mine: async ({ reviewer }: { reviewer: string }) => {
      const now = clock();
      const decisions = await recentDecisions(context, now);
      return {
        decisions: decisions.filter(({ by }) => by === reviewer),
        updatedAt: new Date(now).toISOString(),
      };
    },
    countWaiting: () => sources.reviewIndex.queue().length,
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
    decide: (decision: NewDecision) => decide(reviewing, decision),
    ask: (question: NewQuestion) => ask(context, question),
    /** Has a reviewer see to a registration, or nobody. */
    assign: (assignment: Assignment) => assign(context, assignment),
    remark: (written: Remark) => remark(context, written),
    undo: (decision: { note: string; reviewer: string }) => undo(context, decision),
    rejectTogether: (rejections: Rejections) => rejectTogether(reviewing, rejections),
    undoTogether: (decisions: { notes: string[]; reviewer: string }) =>
      undoTogether(context, decisions),
    /** Registrations that can be accepted together, and those that are left out. */
    paidAndWaiting: () => paidAndWaiting(reviewing),
    acceptTogether: (notes: string[], reviewer: string) =>
      acceptTogether(reviewing, notes, reviewer),
    /** Also runs by itself. */
    carryOutLeftover: leftover.work,
    /** The registrations with these notes after they were accepted, or why they were not. */
    acceptOutcomes: (notes: string[]) => acceptOutcomes(reviewing, notes),
  };

  return {
    review,
    expired: [
      [reviewPresence, (now) => lte(reviewPresence.renewedAt, new Date(now - PRESENCE_MS))],
    ] satisfies Expired[],
    load: leftover.work,
    repeats: [leftover],
  };
}
