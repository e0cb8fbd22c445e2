import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The bytes of a GET answer, made at most once per change and shared by all requests. */
export interface Answer {
  etag: string;
  body: Buffer;
  /** The compressed body, made on first request; absent if the answer serves only one request. */
  encoded?(encoding: Encoding): Promise<{ etag: string; body: Buffer }>;
}

export type Encoding = 'br' | 'gzip';

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
/**
 * Above this size (bytes) speed matters more than ratio, because large answers change with every ping.
 * Measured for 10,000 peers (1.9 MB): brotli 1 takes 5 ms for 221 KB, brotli 4 27 ms for 173 KB; gzip 3
 * takes 6 ms for 228 KB, gzip 6 16 ms for 210 KB.
 */
const LARGE_BYTES = 256 * 1024;
const compress = (body: Buffer, encoding: Encoding): Promise<Buffer> => {
  const large = body.length > LARGE_BYTES;
  if (encoding === 'gzip') return gzipped(body, { level: large ? 3 : 6 });
  return brotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: large ? 1 : 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
};

/** An answer whose tag is a hash of its bytes: for content that never changes, or is made per request. */
export function fixedAnswer(json: string): Answer {
  const body = Buffer.from(json);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const compressed: Partial<Record<Encoding, Promise<{ etag: string; body: Buffer }>>> = {};
  return {
    etag,
    body,
    encoded: (encoding) =>
      (compressed[encoding] ??= compress(body, encoding).then((body) => ({ etag, body }))),
  };
}

/** The content of an answer at one moment. */
export interface Content {
  json: Buffer;
  /** The content is right up to and including this moment (ms), unless `version()` changes. */
  until: number;
}

export interface AnswerCacheOptions {
  /** Changes whenever the content may have changed, except by the passage of time. */
  version(): string;
  make(now: number): Content;
  clock(): number;
  /** Distinguishes the tags of this process from those of other processes and earlier runs. */
  epoch: string;
}

/** Older answers are made again even if nothing has changed, because they contain `updatedAt`. */
const MAX_AGE_MS = 1000;

interface CachedAnswer extends Answer {
  compressed: Partial<Record<Encoding, Buffer>>;
}

/**
 * The answer of one URL over the read model.
 *
 * The tag is weak: it identifies the content (`epoch.version.moment of the change`), not the bytes.
 * `updatedAt` moves on while the content stays the same, and a client that has the content gets a 304.
 */
export class AnswerCache {
  #answer: CachedAnswer | undefined;
  #version: string | undefined;
  #until = -Infinity;
  #madeAt = -Infinity;
  /** When the content last changed (ms). */
  #changedAt = 0;
  #running: Partial<Record<Encoding, Promise<unknown>>> = {};
  #next: Partial<Record<Encoding, Promise<{ etag: string; body: Buffer }>>> = {};

  constructor(private readonly options: AnswerCacheOptions) {}

  get(now = this.options.clock()): Answer {
    const version = this.options.version();
    const changed = version !== this.#version || now > this.#until;
    if (!changed && this.#answer && now - this.#madeAt < MAX_AGE_MS) return this.#answer;
    const { json, until } = this.options.make(now);
    if (changed) this.#changedAt = now;
    this.#version = version;
    this.#until = until;
    this.#madeAt = now;
    const answer: CachedAnswer = {
      etag: `W/"${this.options.epoch}.${version}.${this.#changedAt}"`,
      body: json,
      compressed: {},
      encoded: (encoding) => this.#encoded(answer, encoding),
    };
    this.#answer = answer;
    return answer;
  }

  /**
   * While one compression runs, new requests wait for the next one, which compresses the answer current
   * by then: never older than the one requested, and never the same bytes twice.
   */
  #encoded(answer: CachedAnswer, encoding: Encoding): Promise<{ etag: string; body: Buffer }> {
    const body = answer.compressed[encoding];
    if (body) return Promise.resolve({ etag: answer.etag, body });
    if (!this.#running[encoding]) return this.#compress(answer, encoding);
    return (this.#next[encoding] ??= this.#running[encoding]
      .catch(() => undefined)
      .then(() => {
        delete this.#next[encoding];
        const latest = this.get() as CachedAnswer;
        const body = latest.compressed[encoding];
        return body ? { etag: latest.etag, body } : this.#compress(latest, encoding);
      }));
  }

  async #compress(
    answer: CachedAnswer,
    encoding: Encoding,
  ): Promise<{ etag: string; body: Buffer }> {
    const running = compress(answer.body, encoding);
    this.#running[encoding] = running;
    try {
      const body = await running;
      answer.compressed[encoding] = body;
      return { etag: answer.etag, body };
    } finally {
      if (this.#running[encoding] === running) delete this.#running[encoding];
    }
  }
}
