import http from 'node:http';
import https from 'node:https';

/** What came of one POST. */
export type Outcome =
  | { kind: 'accepted'; latencyMs: number; body: Record<string, unknown> }
  | {
      kind: 'rejected';
      latencyMs: number;
      status: number;
      /** The service's own code, such as `rate_limited`; `unexpected_answer` where it sent none. */
      code: string;
      message: string;
      /** From Retry-After; 0 where there is none. */
      retryAfterMs: number;
    }
  | { kind: 'failed'; latencyMs: number; code: string; unreachable: boolean };

/** A request may take this long in all, connecting included. */
export const REQUEST_TIMEOUT_MS = 5_000;
/** Connections at most, shared by the whole fleet: 500 requests/s at 250 ms each still fit. */
export const MAX_CONNECTIONS = 128;
/** Answers of the two POSTs are a few KiB; one beyond this is not read to its end. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** There is no service to talk to, which is no fault of the one node that tried. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Posts JSON over a bounded pool of keep-alive connections. Never throws: see Outcome. */
export class Client {
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #headers: Record<string, string>;

  constructor(url: string, secret: string | undefined) {
    this.#base = new URL(url.endsWith('/') ? url : `${url}/`);
    const { Agent, request } = this.#base.protocol === 'https:' ? https : http;
    this.#request = request;
    this.#agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS, scheduling: 'lifo' });
    this.#headers = {
      'content-type': 'application/json',
      'user-agent': 'mesh-registry-fleet',
      ...(secret ? { authorization: `Bearer ${secret}` } : {}),
    };
  }

  /** @param path relative to the base address, without a leading slash */
  async post(path: string, body: object): Promise<Outcome> {
    const bytes = Buffer.from(JSON.stringify(body));
    const first = await this.#send(path, bytes);
    // A server may close an idle connection in the very moment we use it again; that is no failure
    // of the service, and a heartbeat may be repeated.
    return first === 'stale' ? ((await this.#send(path, bytes, true)) as Outcome) : first;
  }

  /** Ends every connection at once; what is under way comes back as failed. */
  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, bytes: Buffer, again = false): Promise<Outcome | 'stale'> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const latencyMs = () => performance.now() - startedAt;
      const request = this.#request(new URL(path, this.#base), {
        method: 'POST',
        agent: this.#agent,
        headers: { ...this.#headers, 'content-length': String(bytes.length) },
      });
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const code = error.code ?? error.name;
        if (!again && request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) {
          return resolve('stale');
        }
        const unreachable = UNREACHABLE.has(code);
        resolve({ kind: 'failed', latencyMs: latencyMs(), code, unreachable });
      };
      const timer = setTimeout(() => {
        request.destroy(Object.assign(new Error('timeout'), { code: 'timeout' }));
      }, REQUEST_TIMEOUT_MS);
      request.on('error', fail);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
          else response.destroy(Object.assign(new Error('too long'), { code: 'answer_too_long' }));
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          resolve(readAnswer(response, Buffer.concat(chunks).toString(), latencyMs()));
        });
      });
      request.end(bytes);
    });
  }
}

function readAnswer(response: http.IncomingMessage, text: string, latencyMs: number): Outcome {
  const status = response.statusCode ?? 0;
  const body = parseObject(text);
  // A 2xx without `ok: true` is some other server, which must not pass for a registry.
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
    retryAfterMs: parseRetryAfter(response.headers['retry-after']),
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
function parseRetryAfter(header: string | undefined): number {
  if (!header) return 0;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return wait > 0 ? wait : 0;
}
