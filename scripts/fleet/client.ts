import { Pool } from 'undici';

/** The result of one POST. */
export type Outcome =
  | { kind: 'accepted'; latencyMs: number; body: Record<string, unknown> }
  | {
      kind: 'rejected';
      latencyMs: number;
      status: number;
      /** The service's own code, such as `rate_limited`; `unexpected_answer` if it sent none. */
      code: string;
      message: string;
      /** From Retry-After; 0 without that header. */
      retryAfterMs: number;
    }
  | {
      kind: 'failed';
      latencyMs: number;
      code: string;
      /** Nothing listens at that address, so the failure says nothing about this request. */
      unreachable: boolean;
    };

/** The code of a request that took too long. */
export const TIMEOUT = 'timeout';
/** How long to wait for a connection, for an answer to begin, and for each next part of it. */
export const REQUEST_TIMEOUT_MS = 5_000;
/** Shared by the whole fleet: enough for 500 requests/s of 250 ms each. */
export const MAX_CONNECTIONS = 128;
/** The service answers both POSTs with a few KiB. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const CONNECTION_DROPPED = new Set(['ECONNRESET', 'EPIPE']);
/** undici's codes, in the words that operators know. */
const CODES: Record<string, string> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  UND_ERR_HEADERS_TIMEOUT: TIMEOUT,
  UND_ERR_BODY_TIMEOUT: TIMEOUT,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'answer_too_long',
};

/** Posts JSON over a bounded pool of keep-alive connections. */
export class Client {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #headers: Record<string, string>;

  /** @param url base address of the service, http or https, with or without a path */
  constructor(url: string, secret: string | undefined) {
    const { origin, pathname } = new URL(url);
    this.#basePath = pathname.replace(/\/?$/, '/');
    this.#pool = new Pool(origin, {
      connections: MAX_CONNECTIONS,
      connect: { timeout: REQUEST_TIMEOUT_MS },
      headersTimeout: REQUEST_TIMEOUT_MS,
      bodyTimeout: REQUEST_TIMEOUT_MS,
      maxResponseSize: MAX_RESPONSE_BYTES,
    });
    this.#headers = {
      'content-type': 'application/json',
      'user-agent': 'mesh-registry-fleet',
      ...(secret ? { authorization: `Bearer ${secret}` } : {}),
    };
  }

  /**
   * Never rejects: every problem is an outcome.
   *
   * @param path relative to the base address, without a leading slash
   */
  async post(path: string, body: object): Promise<Outcome> {
    const json = JSON.stringify(body);
    const outcome = await this.#send(path, json);
    // A server may close an idle connection just as it is used again. That is no failure of the service,
    // and both POSTs are safe to repeat.
    const stale = outcome.kind === 'failed' && CONNECTION_DROPPED.has(outcome.code);
    return stale ? this.#send(path, json) : outcome;
  }

  /** Closes every connection at once; requests in flight come back as failed. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #send(path: string, body: string): Promise<Outcome> {
    const sentAt = performance.now();
    const latencyMs = () => performance.now() - sentAt;
    try {
      const {
        statusCode,
        headers,
        body: answer,
      } = await this.#pool.request({
        method: 'POST',
        path: this.#basePath + path,
        headers: this.#headers,
        body,
      });
      const text = await answer.text();
      return interpret(statusCode, text, String(headers['retry-after'] ?? ''), latencyMs());
    } catch (error) {
      const { name, code = name } = error as NodeJS.ErrnoException;
      const unreachable = UNREACHABLE.has(code);
      return { kind: 'failed', latencyMs: latencyMs(), code: CODES[code] ?? code, unreachable };
    }
  }
}

function interpret(status: number, text: string, retryAfter: string, latencyMs: number): Outcome {
  const body = parseObject(text);
  // A 2xx without `ok: true` comes from some other server, which must not pass for a registry.
  if (status >= 200 && status < 300 && body['ok'] === true) {
    return { kind: 'accepted', latencyMs, body };
  }
  const { code, error } = body;
  return {
    kind: 'rejected',
    latencyMs,
    status,
    code: typeof code === 'string' ? code : 'unexpected_answer',
    message: typeof error === 'string' ? error : '',
    retryAfterMs: parseRetryAfter(retryAfter),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Retry-After is a number of seconds or an HTTP date (RFC 9110, 10.2.3). Milliseconds, or 0. */
function parseRetryAfter(header: string): number {
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return wait > 0 ? wait : 0;
}
