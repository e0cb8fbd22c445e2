import { publicProcedure, router } from '#server/trpc/init.ts';
import { NEVER, Resume } from '#server/trpc/input.ts';
import { parseAnswer, trackChanges } from '#server/trpc/output.ts';
import { Mesh } from './mesh.schema.ts';

/** The map. Nodes send their heartbeats over REST, with their credential. */
export const meshRouter = router({
  get: publicProcedure.query(({ ctx }) => parseAnswer(Mesh, ctx.services.mesh.answer())),
  changes: publicProcedure
    .input(Resume)
    .subscription(({ ctx, input, signal }) =>
      trackChanges(ctx.services.mesh.changes(input?.lastEventId, signal ?? NEVER)),
    ),
});
