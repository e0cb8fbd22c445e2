import { NEVER, reviewerProcedure, router } from './init.ts';
import {
  Decide,
  MarkOpen,
  OfNote,
  OfNotes,
  QueueInput,
  RegistrationsInput,
  RejectTogether,
} from '#server/review/queue.schema.ts';

/** The queue and its registrations, for reviewers. Who acts comes from the session, never from the input. */

export const queueRouter = router({
  list: reviewerProcedure
    .input(QueueInput)
    .query(({ ctx, input }) =>
      ctx.services.review.queue({ ...input, reviewer: ctx.reviewer.email }),
    ),
  countWaiting: reviewerProcedure.query(({ ctx }) => ctx.services.review.countWaiting()),
  get: reviewerProcedure
    .input(OfNote)
    .query(({ ctx, input }) =>
      ctx.services.review.registration({ ...input, reviewer: ctx.reviewer.email }),
    ),
  /** The note of the registration to open after this one; null if nothing is left. */
  next: reviewerProcedure
    .input(OfNote)
    .query(({ ctx, input }) =>
      ctx.services.review.next({ ...input, reviewer: ctx.reviewer.email }),
    ),
  markOpen: reviewerProcedure
    .input(MarkOpen)
    .mutation(({ ctx, input }) =>
      ctx.services.review.markOpen({ ...input, reviewer: ctx.reviewer.email }),
    ),
  markClosed: reviewerProcedure
    .input(OfNote)
    .mutation(({ ctx, input }) =>
      ctx.services.review.markClosed({ ...input, reviewer: ctx.reviewer.email }),
    ),
  decide: reviewerProcedure
    .input(Decide)
    .mutation(({ ctx, input }) =>
      ctx.services.review.decide({ ...input, reviewer: ctx.reviewer.email }),
    ),
  undo: reviewerProcedure
    .input(OfNote)
    .mutation(({ ctx, input }) =>
      ctx.services.review.undo({ ...input, reviewer: ctx.reviewer.email }),
    ),
  /** Rejects several with one reason. Those that can't be rejected are left out. */
  rejectTogether: reviewerProcedure
    .input(RejectTogether)
    .mutation(({ ctx, input }) =>
      ctx.services.review.rejectTogether({ ...input, reviewer: ctx.reviewer.email }),
    ),
  undoTogether: reviewerProcedure
    .input(OfNotes)
    .mutation(({ ctx, input }) =>
      ctx.services.review.undoTogether({ ...input, reviewer: ctx.reviewer.email }),
    ),
  changes: reviewerProcedure.subscription(({ ctx, signal }) =>
    ctx.services.review.changes(ctx.reviewer.sessionId, signal ?? NEVER),
  ),
});

export const registrationsRouter = router({
  list: reviewerProcedure
    .input(RegistrationsInput)
    .query(({ ctx, input }) => ctx.services.review.search(input)),
});
