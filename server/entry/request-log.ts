import type { Logger } from 'pino';
import type { RequestContext } from './context.ts';

export interface AnsweredRequest {
  method: string;
  /** The pattern of the route, never the URL: a URL can hold the id of a registration. */
  route: string;
  status: number;
  /** Milliseconds to the head of the answer. */
  ms: number;
}

/** Logs successful requests at debug, refused ones at warn, and internal errors at error with the stack. */
export function logRequest(
  log: Logger,
  { requestId, error }: RequestContext,
  answered: AnsweredRequest,
): void {
  if (!error && !log.isLevelEnabled('debug')) return;
  const line = { requestId, ...answered, ms: Math.round(answered.ms * 10) / 10 };
  if (!error) log.debug(line, 'request');
  else if (error.code === 'internal')
    log.error({ ...line, code: error.code, err: error.cause }, error.message);
  else log.warn({ ...line, code: error.code, err: error.cause }, 'request refused');
}
