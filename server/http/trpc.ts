import type { AppLoadContext } from '@remix-run/node';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { isAppError } from '#server/common/errors.schema.ts';
import { contextOfError } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/router.ts';

export const TRPC_PATH = '/api/trpc';

/** Largest body of a tRPC call, bytes. */
export const TRPC_BODY_BYTES = 16 * 1024;

/** Answers a call of the typed API. */
export async function handleTrpc(request: Request, context: AppLoadContext): Promise<Response> {
  const response = await fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: request,
    router: appRouter,
    createContext: () => context,
    // A batch would be a way around the rate limits.
    allowBatching: false,
    // tRPC formats some errors before it has asked for the context.
    onError: ({ error }) => void contextOfError.set(error, context),
    responseMeta({ errors: [error], type, paths }) {
      const headers = new Headers({
        'x-request-id': context.requestId,
        'cache-control': 'no-store',
      });
      // As with the public GETs, any site may read and follow the streams, but not what reviewers see.
      if (type !== 'mutation' && !paths?.some((path) => path.startsWith('review.')))
        headers.set('access-control-allow-origin', '*');
      const retryAfter = isAppError(error?.cause) ? error.cause.retryAfter : undefined;
      if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
      return { headers };
    },
  });
  // tRPC omits the type where it cannot make sense of a request.
  if (!response.headers.has('content-type'))
    response.headers.set('content-type', 'application/json');
  return response;
}
