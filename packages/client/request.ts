import { ANSWER_BYTES_MAX, LIST_BYTES_MAX, readText } from './answer.ts';
import { parseObject, problemOf, thrown } from './problem.ts';
import type { Failure, Problem, Result } from './result.ts';

export interface RequestOptions {
  /** Ends the call, also while it waits to retry. */
  signal?: AbortSignal | undefined;
}

export interface ClientOptions {
  /** Base address of the service, with or without a path, such as `https://mesh.example.org`. */
  url: string | URL;
  /** The network’s shared secret; sent with what a node’s operator sends only. */
  secret?: string | undefined;
  /**
   * More headers for the same calls, and for those that only a node’s key may make, made for each attempt: the
   * signature of the key, for example.
   * @param request as it is sent
   */
  authorize?: (request: {
    method: string;
    url: URL;
    body: string | null;
  }) => Record<string, string> | Promise<Record<string, string>>;
  /** How long one attempt with its answer may take, milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * How often a call is repeated that was not answered, or with 429, 502, 503 or 504. Every call is safe to
   * repeat. Default: 2.
   */
  retries?: number | undefined;
  /** A call whose `Retry-After` is longer than this fails instead of waiting, milliseconds. Default: 30,000. */
  maxWaitMs?: number | undefined;
  /**
   * The longest answer that is read, and the longest event of a stream, bytes after decompression. Default: 4 MiB, and
   * 64 MiB for what grows with the network: its lists, their history by place, and events.
   */
  maxAnswerBytes?: number | undefined;
  /** Whether reads follow redirects. Default: true. What has a credential or a signature never does. */
  followRedirects?: boolean | undefined;
  /** Changes every text of answers and problems, such as to remove what a terminal would obey. */
  clean?: ((text: string) => string) | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

export interface Call extends RequestOptions {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base address, without a leading slash. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  body?: object | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the call needs the credentials of a node. */
  credentials?: boolean;
  /** Whether the node signs it, without the shared secret. */
  signed?: boolean;
  /** Whether the answer grows with the network. */
  isList?: boolean;
}

/** A response whose body has been read. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const FIRST_BACK_OFF_MS = 500;
const REPEATABLE = new Set([429, 502, 503, 504]);

/** Sends calls, repeats them where that may help, and tells every problem as a value. */
export class Transport {
  readonly #base: URL;
  readonly #options: ClientOptions;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;
  readonly #clean: ClientOptions['clean'];

  /** @throws TypeError if the URL is none, or not http(s) */
  constructor(options: ClientOptions) {
    this.#base = new URL(options.url);
    if (!/^https?:$/.test(this.#base.protocol))
      throw new TypeError(
        `The URL of the service must begin with https:// or http://: ${options.url}`,
      );
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/';
    this.#options = options;
    // Browsers refuse to call it as a method of something else.
    this.#fetch = options.fetch ?? ((...parameters) => globalThis.fetch(...parameters));
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#clean = options.clean;
  }

  /** Resolves with the parsed body; null where the answer has none (204, 304). Never rejects. */
  async send<Value>(call: Call): Promise<Result<Value>> {
    const { retries = 2, maxWaitMs = 30_000 } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt<Value>(call);
      if (result.ok || attempt >= retries || !mayRepeat(result.problem)) return result;
      const asked = 'retryAfterMs' in result.problem ? result.problem.retryAfterMs : null;
      if (asked !== null && asked > maxWaitMs) return result;
      const backOff = FIRST_BACK_OFF_MS * 2 ** attempt * (0.5 + Math.random());
      if (!(await pause(Math.max(asked ?? 0, backOff), call.signal))) return aborted();
    }
  }

  /** Opens a response whose body is read as it comes: time-outs are for the caller. @throws whatever fetch does */
  open(path: string, query: Call['query'], signal: AbortSignal): Promise<Response> {
    return this.#fetch(this.#url(path, query), {
      headers: { accept: 'text/event-stream' },
      redirect: this.#options.followRedirects === false ? 'manual' : 'follow',
      cache: 'no-store',
      signal,
    });
  }

  /** The longest event of a stream. */
  get maxEventBytes(): number {
    return this.#maxBytes(true);
  }

  /** The value of an event. @throws SyntaxError if it is none */
  parseEvent<Value>(text: string): Value {
    const value = parseObject(text, this.#clean);
    if (value === null) throw new SyntaxError('An event of the stream is no JSON.');
    return value as Value;
  }

  /** What an answer means that is no success. */
  async problemOf(response: Response): Promise<Problem> {
    const text = await readText(response, this.#maxBytes(false));
    return problemOf(response.status, response.headers, text, this.#clean);
  }

  /** What it means that a request, or reading its answer, threw. */
  thrown(error: unknown): Problem {
    return thrown(error, this.#clean);
  }

  #maxBytes(isList: boolean): number {
    return this.#options.maxAnswerBytes ?? (isList ? LIST_BYTES_MAX : ANSWER_BYTES_MAX);
  }

  async #attempt<Value>(call: Call): Promise<Result<Value>> {
    if (call.signal?.aborted) return aborted();
    // One controller for both reasons to end: AbortSignal.any() keeps every signal it ever saw of a long-lived one.
    const ending = new AbortController();
    const abort = () => ending.abort();
    call.signal?.addEventListener('abort', abort, { once: true });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      ending.abort();
    }, this.#timeoutMs);
    try {
      return interpret<Value>(
        call.method,
        await this.#fetchWhole(call, ending.signal),
        this.#clean,
      );
    } catch (cause) {
      if (call.signal?.aborted) return aborted();
      if (timedOut)
        return failure({
          kind: 'timeout',
          message: `The service did not answer within ${this.#timeoutMs / 1000} s.`,
        });
      return failure(this.thrown(cause));
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
    }
  }

  async #fetchWhole(call: Call, signal: AbortSignal): Promise<Answer> {
    const { method, credentials, signed = credentials, isList = false } = call;
    const url = this.#url(call.path, call.query);
    const body = call.body ? JSON.stringify(call.body) : null;
    const { secret, authorize, followRedirects = true } = this.#options;
    const response = await this.#fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(credentials && secret ? { authorization: `Bearer ${secret}` } : {}),
        ...(signed && authorize ? await authorize({ method, url, body }) : {}),
        ...call.headers,
      },
      body,
      // A redirect would turn a POST into a GET, or carry a credential or a signature elsewhere.
      redirect:
        followRedirects && method === 'GET' && !credentials && !signed ? 'follow' : 'manual',
      // Polling compares ETags itself: a cache between would answer 200 from its own store.
      cache: 'no-store',
      signal,
    });
    const { status, headers } = response;
    return { status, headers, text: await readText(response, this.#maxBytes(isList)) };
  }

  #url(path: string, query: Call['query'] = {}): URL {
    const url = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }
}

/** The answer to each of them has no body: the list is as it was, or the node is removed for good. */
const WITHOUT_BODY: Partial<Record<Call['method'], number>> = { GET: 304, DELETE: 204 };

function interpret<Value>(
  method: Call['method'],
  { status, headers, text }: Answer,
  clean: ClientOptions['clean'],
): Result<Value> {
  if (status === WITHOUT_BODY[method]) return { ok: true, value: null as Value, status, headers };
  const body = status >= 200 && status < 300 ? parseObject(text, clean) : null;
  // A sign-in page of the network may answer anything with 200. What was sent has arrived only if the answer says so.
  if (body && (method === 'GET' || ('ok' in body && body.ok === true)))
    return { ok: true, value: body as Value, status, headers };
  return failure(problemOf(status, headers, text, clean));
}

const failure = (problem: Problem): Failure => ({ ok: false, problem });

const aborted = (): Failure => failure({ kind: 'aborted', message: 'The call was ended.' });

const mayRepeat = (problem: Problem): boolean =>
  problem.kind === 'unreachable' ||
  problem.kind === 'timeout' ||
  ('status' in problem && REPEATABLE.has(problem.status));

/** Resolves with true after `ms`, or at once with false when the signal aborts. Leaves no listener behind. */
export const pause = (ms: number, signal?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(whole);
    };
    const abort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
