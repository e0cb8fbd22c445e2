import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * The log: one JSON line per event on stdout. It never contains a client's address, exact coordinates, a
 * credential or the id of a registration: routes are logged by their pattern, not their URL.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    { level, base: null, serializers: { err: describeError } },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

/**
 * The loggable part of an error. The message of a failed query is left out: it ends with the values of the
 * parameters, and PostgreSQL's own detail quotes the values of the row.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error))
    return { message: typeof error === 'string' ? error : typeof error };
  const query = 'query' in error && typeof error.query === 'string' ? error.query : undefined;
  return {
    type: error.name,
    ...('code' in error ? { code: error.code } : {}),
    ...(query === undefined ? { message: error.message, stack: error.stack } : { query }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
