import { router } from './init.ts';
import { publicProcedures } from './public.ts';
import { reviewRouter } from './review.ts';

/** The typed API: the same service functions as the REST interface, for pages and for TypeScript clients. */
export const appRouter = router({ ...publicProcedures, review: reviewRouter });

export type AppRouter = typeof appRouter;
