import { ERROR_STATUS, errorBody, toAppError } from '#server/common/errors.schema.ts';
import type { RequestContext } from './context.ts';

/** The JSON answer to an error that no route answered itself. Keeps the error in the context, for the log. */
export function errorResponse(context: RequestContext, thrown: unknown): Response {
  const error = toAppError(thrown);
  context.error = error;
  return new Response(JSON.stringify(errorBody(error, context.requestId)), {
    status: ERROR_STATUS[error.code],
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': context.requestId,
      'cache-control': 'no-store',
    },
  });
}
