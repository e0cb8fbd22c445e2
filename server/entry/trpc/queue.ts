import {
  Ask,
  Assign,
  Decide,
  MarkOpen,
  OfNote,
  OfNotes,
  QueueInput,
  RegistrationsInput,
  RejectTogether,
  WriteRemark,
} from '#server/review/queue.schema.ts';
import { NEVER, reviewerMutation, reviewerProcedure, reviewerQuery, router } from './init.ts';

/** The queue and its registrations, for reviewers. */
export const queueRouter = router({
  list: reviewerQuery(QueueInput, ({ review }, input) => review.queue(input)),
  /** The reviewer's own decisions that can still be undone. */
  mine: reviewerProcedure.query(({ ctx }) =>
    ctx.services.review.mine({ reviewer: ctx.reviewer.email }),
  ),
  countWaiting: reviewerProcedure.query(({ ctx }) => ctx.services.review.countWaiting()),
  get: reviewerQuery(OfNote, ({ review }, input) => review.registration(input)),
  /** The note of the registration to open after this one; null if nothing is left. */
  next: reviewerQuery(OfNote, ({ review }, input) => review.next(input)),
  markOpen: reviewerMutation(MarkOpen, ({ review }, input) => review.markOpen(input)),
  markClosed: reviewerMutation(OfNote, ({ review }, input) => review.markClosed(input)),
  decide: reviewerMutation(Decide, ({ review }, input) => review.decide(input)),
  /** Asks the operator of a registration that waits for review. @returns all questions about it, with their answers */
  ask: reviewerMutation(Ask, ({ review }, input) => review.ask(input)),
  /** Says which reviewer sees to a registration. */
  assign: reviewerMutation(Assign, ({ review }, input) => review.assign(input)),
  /** Replaces the reviewers' remark, unless another one has changed it since it was seen. */
  remark: reviewerMutation(WriteRemark, ({ review }, input) => review.remark(input)),
  undo: reviewerMutation(OfNote, ({ review }, input) => review.undo(input)),
  /** Rejects several with one reason. Those that can't be rejected are left out. */
  rejectTogether: reviewerMutation(RejectTogether, ({ review }, input) =>
    review.rejectTogether(input),
  ),
  undoTogether: reviewerMutation(OfNotes, ({ review }, input) => review.undoTogether(input)),
  changes: reviewerProcedure.subscription(({ ctx, signal }) =>
    ctx.services.review.changes(ctx.reviewer.sessionId, signal ?? NEVER),
  ),
});

export const registrationsRouter = router({
  list: reviewerProcedure
    .input(RegistrationsInput)
    .query(({ ctx, input }) => ctx.services.review.search(input)),
});
