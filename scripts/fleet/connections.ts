import { Pool } from 'undici';
import type { Problem, Result } from '@mesh-registry/client/index.ts';

/** How long to wait for a connection, for an answer to begin, and for each next part of it. */
export const REQUEST_TIMEOUT_MS = 5_000;
/** Shared by the whole fleet: enough for 500 requests/s of 250 ms each. */
export const MAX_CONNECTIONS = 128;
/** The service answers both POSTs with a few KiB. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The code of a request that took too long. */
export const TIMEOUT = 'timeout';

/** undici's codes, in the words that operators know. */
const CODES: Record<string, string> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  UND_ERR_HEADERS_TIMEOUT: TIMEOUT,
  UND_ERR_BODY_TIMEOUT: TIMEOUT,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'answer_too_long',
};
const NOTHING_THERE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const DROPPED = new Set(['ECONNRESET', 'EPIPE']);

export interface Connections {
  /** For the typed client. Requests end by the limits of the connections: signals are ignored. */
  fetch: typeof globalThis.fetch;
  /** Closes every connection at once; requests in flight fail. */
  close: () => Promise<void>;
}

/**
 * A bounded pool of keep-alive connections for the whole fleet. Node's own fetch costs seven times as much processor
 * time a request, which thousands of nodes cannot afford.
 * @param url base address of the service
 */
export function openConnections(url: string): Connections {
  const pool = new Pool(new URL(url).origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: REQUEST_TIMEOUT_MS },
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  const send = async (target: URL, { method = 'GET', headers, body }: RequestInit) => {
    const answer = await pool.request({
      method: method,
      path: target.pathname + target.search,
      headers: headers as Record<string, string>,
      body: body as string | null,
    });
    const parts = answer.body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
    // What the typed client reads of a Response: a whole one would double the cost of a request.
    return {
      status: answer.statusCode,
      headers: { get: (name: string) => String(answer.headers[name] ?? '') || null },
      body: { getReader: () => ({ read: () => parts.next(), cancel: () => parts.return?.() }) },
    };
  };
  return {
    fetch: send as unknown as typeof globalThis.fetch,
    close: () => pool.destroy(),
  };
}

/**
 * Sends, and sends again if the connection was dropped: a server may close an idle one just as it is used again. That
 * is no failure of the service, and all that nodes send is safe to repeat.
 */
export async function sendOverIdle<Value>(
  send: () => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const result = await send();
  return !result.ok && DROPPED.has(codeOf(result.problem)) ? send() : result;
}

/** What to count a problem as: the service's own code such as `rate_limited`, or one such as `ECONNREFUSED`. */
export function codeOf(problem: Problem): string {
  switch (problem.kind) {
    case 'refused':
      return problem.code;
    case 'unexpected':
      return 'unexpected_answer';
    case 'unreachable': {
      const { name = 'Error', code = name } = problem.cause as NodeJS.ErrnoException;
      return CODES[code] ?? code;
    }
    default:
      return problem.kind;
  }
}

/** Whether there was no whole answer. */
export const isUnanswered = (problem: Problem): boolean => !('status' in problem);

/** Whether nothing listens at the address, so that the problem says nothing about this request. */
export const isNothingThere = (problem: Problem): boolean => NOTHING_THERE.has(codeOf(problem));
