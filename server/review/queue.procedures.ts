import { z } from 'zod';
import { REASON_MAX } from './reasons.schema.ts';
import { REVIEW_QUERY_MAX } from './search.schema.ts';
import { DECISIONS, REGISTRATION_STATUSES } from '#server/common/values.schema.ts';
import { NEVER, Note, OBJECT, Page, text } from '#server/trpc/input.ts';
import { reviewerProcedure, router } from '#server/trpc/init.ts';

/** The queue and the registrations in it, for reviewers. Who acts is the session's, never the input's. */

const OfNote = z.object({ note: Note }, OBJECT);

export const queueRouter = router({
  list: reviewerProcedure.query(({ ctx }) =>
    ctx.services.review.queue({ reviewer: ctx.reviewer.email }),
  ),
  undecided: reviewerProcedure.query(({ ctx }) => ctx.services.review.undecided()),
  get: reviewerProcedure
    .input(OfNote)
    .query(({ ctx, input }) =>
      ctx.services.review.registration({ ...input, reviewer: ctx.reviewer.email }),
    ),
  take: reviewerProcedure
    .input(OfNote.extend({ over: z.boolean('must be true or false').default(false) }))
    .mutation(({ ctx, input }) =>
      ctx.services.review.take({ ...input, reviewer: ctx.reviewer.email }),
    ),
  putBack: reviewerProcedure
    .input(OfNote)
    .mutation(({ ctx, input }) =>
      ctx.services.review.putBack({ ...input, reviewer: ctx.reviewer.email }),
    ),
  decide: reviewerProcedure
    .input(
      OfNote.extend({
        decision: z.enum(DECISIONS, `must be one of ${DECISIONS.join(', ')}`),
        reason: text(REASON_MAX).optional(),
        rev: z.int('must be a whole number').optional(),
      }),
    )
    .mutation(({ ctx, input }) =>
      ctx.services.review.decide({ ...input, reviewer: ctx.reviewer.email }),
    ),
  undo: reviewerProcedure
    .input(OfNote)
    .mutation(({ ctx, input }) =>
      ctx.services.review.undo({ ...input, reviewer: ctx.reviewer.email }),
    ),
  changes: reviewerProcedure.subscription(({ ctx, signal }) =>
    ctx.services.review.changes(ctx.reviewer.sessionId, signal ?? NEVER),
  ),
});

export const registrationsRouter = router({
  list: reviewerProcedure
    .input(
      z.object(
        {
          q: text(REVIEW_QUERY_MAX).default(''),
          status: z
            .enum(REGISTRATION_STATUSES, `must be one of ${REGISTRATION_STATUSES.join(', ')}`)
            .nullable()
            .default(null),
          page: Page,
        },
        OBJECT,
      ),
    )
    .query(({ ctx, input }) => ctx.services.review.search(input)),
});
