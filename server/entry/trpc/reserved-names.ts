import { z } from 'zod';
import { NAMES_QUERY_MAX } from '#server/names/reserved-names.schema.ts';
import { OBJECT, Page, text } from '#server/common/input.schema.ts';
import { reviewerProcedure, router } from './init.ts';

// The service reports everything wrong with a form at once; this only bounds the input.
const Text = text(1000);

export const namesRouter = router({
  list: reviewerProcedure
    .input(z.object({ q: text(NAMES_QUERY_MAX).default(''), page: Page }, OBJECT))
    .query(({ ctx, input }) => ctx.services.names.listReserved(input)),
  reserve: reviewerProcedure
    .input(z.object({ name: Text, reason: Text, until: Text.default('') }, OBJECT))
    .mutation(async ({ ctx, input }) => ({
      name: await ctx.services.names.reserve(input, ctx.reviewer.email),
    })),
  release: reviewerProcedure
    .input(z.object({ name: Text, reason: Text }, OBJECT))
    .mutation(({ ctx, input }) => ctx.services.names.release(input, ctx.reviewer.email)),
});
