import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import type { z } from 'zod';
import type { Endpoint } from '#server/entry/rest/engine.ts';

type Handler = (args: LoaderFunctionArgs | ActionFunctionArgs) => Response | Promise<Response>;

/**
 * A route for programs. Its file says what it takes and answers; the server does the rest (server/entry/rest/engine.ts).
 * In production it takes the endpoint from the loader and spares Remix's router; in development Remix calls loader and
 * action.
 */
export function endpoint<Query extends z.ZodType, WriteQuery extends z.ZodType>(
  definition: Endpoint<Query, WriteQuery>,
): { loader: Handler & { endpoint: Endpoint }; action: Handler } {
  const handler: Handler = ({ request, context, params }) =>
    context.rest(definition, request, params);
  return { loader: Object.assign(handler, { endpoint: definition }), action: handler };
}
