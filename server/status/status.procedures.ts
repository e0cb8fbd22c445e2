import { publicProcedure, router } from '#server/trpc/init.ts';

export const statusRouter = router({
  summary: publicProcedure.query(({ ctx }) => ctx.services.status.summary()),
});
