import { publicProcedure, router } from './init.ts';

export const statusRouter = router({
  summary: publicProcedure.query(({ ctx }) => ctx.services.status.summary()),
});
