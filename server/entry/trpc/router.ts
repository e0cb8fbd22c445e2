import { createTRPCRecursiveProxy, TRPCError } from '@trpc/server';
import type { ProcedureContext } from '../procedure-context.ts';
import { createCallerFactory, router } from './init.ts';
import { publicProcedures } from './public.ts';
import { reviewRouter } from './review.ts';

const publicRouter = router(publicProcedures);

/**
 * What needs no session, for clients of others: scripts/public-router.ts writes its type for the client's package.
 * @public
 */
export type PublicRouter = typeof publicRouter;

/** The typed API: the same service functions as the REST interface, for pages and for TypeScript clients. */
export const appRouter = router({ ...publicProcedures, review: reviewRouter });

export type AppRouter = typeof appRouter;

const createCaller = createCallerFactory(appRouter);

/** Every procedure as a function, for loaders and actions: `api.review.names.reserve(input)`. */
export type Api = ReturnType<typeof createCaller>;

type Procedure = (...args: unknown[]) => Promise<unknown>;

/**
 * Calls procedures on behalf of one request, without an HTTP hop. Authorisation, the origin check and the
 * validation of the input happen in the procedure, as over HTTP. Calls reject with the error itself, as the
 * service threw it (an AppError for everything a client may see), never with a TRPCError around it.
 */
export function createApi(context: ProcedureContext): Api {
  const caller = createCaller(context);
  return createTRPCRecursiveProxy<Api>(async ({ path, args }) => {
    const procedure = path.reduce<unknown>((node, key) => Reflect.get(node as object, key), caller);
    try {
      return await (procedure as Procedure)(...args);
    } catch (error) {
      throw error instanceof TRPCError && error.cause ? error.cause : error;
    }
  });
}
