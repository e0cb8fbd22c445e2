import { z } from 'zod';
import { publicProcedure, router } from '#server/trpc/init.ts';
import { NEVER, Resume } from '#server/trpc/input.ts';
import { parseAnswer, trackChanges } from '#server/trpc/output.ts';
import { Computes, ComputesQuery } from './computes.schema.ts';

/** The directory of compute offers. Nodes announce theirs over REST, with their credential. */
export const computesRouter = router({
  list: publicProcedure
    .input(
      z.object({
        available: z.boolean('must be true or false').default(false),
        visibility: ComputesQuery.shape.visibility,
      }),
    )
    .query(({ ctx, input }) => parseAnswer(Computes, ctx.services.computes.answer(input))),
  changes: publicProcedure
    .input(Resume)
    .subscription(({ ctx, input, signal }) =>
      trackChanges(ctx.services.computes.changes(input?.lastEventId, signal ?? NEVER)),
    ),
});
