import { z } from 'zod';
import { REASON_MAX } from '../schemas/review-reasons.ts';
import { REVIEW_QUERY_MAX } from '../schemas/review-search.ts';
import { DECISIONS, REGISTRATION_STATUSES } from '../schemas/values.ts';
import { reviewerProcedure, router } from './trpc.ts';

/** The queue and the registrations in it, for reviewers. Who acts is the session's, never the input's. */

const Note = z.string('must be a string').max(64, 'must be at most 64 characters');
const OfNote = z.object({ note: Note }, 'must be a JSON object');

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
        reason: z
          .string('must be a string')
          .max(REASON_MAX, `must be at most ${REASON_MAX} characters`)
          .optional(),
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
          q: z
            .string('must be a string')
            .max(REVIEW_QUERY_MAX, `must be at most ${REVIEW_QUERY_MAX} characters`)
            .default(''),
          status: z
            .enum(REGISTRATION_STATUSES, `must be one of ${REGISTRATION_STATUSES.join(', ')}`)
            .nullable()
            .default(null),
          page: z.int('must be a whole number').min(1, 'must be at least 1').default(1),
        },
        'must be a JSON object',
      ),
    )
    .query(({ ctx, input }) => ctx.services.review.search(input)),
  get: reviewerProcedure
    .input(OfNote)
    .query(({ ctx, input }) =>
      ctx.services.review.registration({ ...input, reviewer: ctx.reviewer.email }),
    ),
});

const NEVER = new AbortController().signal;
