import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * The log: one JSON line per event on stdout. Never an address of a client, a coordinate as it was
 * sent, a credential, or the id of a registration: routes are logged by their pattern, not their URL.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    { level, base: null, serializers: { err: describeError } },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

/**
 * What a log may hold of an error. Not the message of a failed query: it ends with the values of its
 * parameters, and the server's own detail names the values of the row.
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
