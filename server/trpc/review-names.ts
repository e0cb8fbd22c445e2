import { z } from 'zod';
import { NAMES_QUERY_MAX } from '../schemas/reserved-names.ts';
import { reviewerProcedure, router } from './trpc.ts';

const OBJECT = 'must be a JSON object';
const Text = z.string('must be a string').max(1000, 'must be at most 1000 characters');

export const namesRouter = router({
  list: reviewerProcedure
    .input(
      z.object(
        {
          q: Text.max(NAMES_QUERY_MAX, `must be at most ${NAMES_QUERY_MAX} characters`).default(''),
          page: z.int('must be a whole number').min(1, 'must be 1 or more').default(1),
        },
        OBJECT,
      ),
    )
    .query(({ ctx, input }) => ctx.services.reservedNames.list(input)),
  reserve: reviewerProcedure
    .input(z.object({ name: Text, reason: Text, until: Text.default('') }, OBJECT))
    .mutation(async ({ ctx, input }) => ({
      name: await ctx.services.reservedNames.reserve(input, ctx.reviewer.email),
    })),
  release: reviewerProcedure
    .input(z.object({ name: Text, reason: Text }, OBJECT))
    .mutation(({ ctx, input }) => ctx.services.reservedNames.release(input, ctx.reviewer.email)),
});
