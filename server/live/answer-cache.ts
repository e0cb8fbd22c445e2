import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * The bytes of a GET answer, made at most once per change and shared by all who ask: plain at once,
 * compressed when somebody asks for it.
 */
export interface Answer {
  etag: string;
  body: Buffer;
  /** The body compressed; absent where an answer is made for one request and not worth it. */
  encoded?(encoding: Encoding): Promise<{ etag: string; body: Buffer }>;
}

export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
/**
 * A large answer changes with every ping: it is packed fast. Measured for 10,000 peers (1.9 MB):
 * brotli 1 takes 5 ms for 221 KB, brotli 4 27 ms for 173 KB; gzip 3 6 ms for 228 KB, gzip 6 16 ms for 210 KB.
 */
const LARGE = 256 * 1024;
const compress = (body: Buffer, encoding: Encoding): Promise<Buffer> => {
  const large = body.length > LARGE;
  if (encoding === 'gzip') return gzipped(body, { level: large ? 3 : 6 });
  return brotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: large ? 1 : 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
};

/** An answer whose tag is a hash of its bytes: for what never changes, or is made per request. */
export function fixedAnswer(json: string): Answer {
  const body = Buffer.from(json);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const running: Partial<Record<Encoding, Promise<{ etag: string; body: Buffer }>>> = {};
  return {
    etag,
    body,
    encoded: (encoding) =>
      (running[encoding] ??= compress(body, encoding).then((packed) => ({ etag, body: packed }))),
  };
}

/** Content at one moment. */
export interface Content {
  json: Buffer;
  /** The content holds up to and including this moment (ms), if `version()` stays the same. */
  until: number;
}

export interface AnswerCacheOptions {
  /** Changes whenever the content may have changed by anything but the passing of time. */
  version(): string;
  make(now: number): Content;
  clock(): number;
  /** Distinguishes the tags of this process from those of others and of its earlier lives. */
  epoch: string;
}

/** Bytes older than this are made anew although nothing changed, because they carry `updatedAt`. */
const MAX_AGE_MS = 1000;

interface Made extends Answer {
  packed: Partial<Record<Encoding, Buffer>>;
}

/**
 * The answer of one URL over a read model.
 *
 * The tag is weak and says which content it is (`epoch.version.moment of the change`), not which
 * bytes: `updatedAt` moves on while the content stays, and a client that holds the content still gets
 * its 304.
 */
export class AnswerCache {
  #answer: Made | undefined;
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
    const made: Made = {
      etag: `W/"${this.options.epoch}.${version}.${this.#changedAt}"`,
      body: json,
      packed: {},
      encoded: (encoding) => this.#encoded(made, encoding),
    };
    this.#answer = made;
    return made;
  }

  /**
   * While one compression runs, all who ask wait for the one after it, which packs the answer as it
   * is by then: never older than what they asked for, and never two of the same bytes.
   */
  #encoded(answer: Made, encoding: Encoding): Promise<{ etag: string; body: Buffer }> {
    const packed = answer.packed[encoding];
    if (packed) return Promise.resolve({ etag: answer.etag, body: packed });
    if (!this.#running[encoding]) return this.#compress(answer, encoding);
    return (this.#next[encoding] ??= this.#running[encoding]
      .catch(() => undefined)
      .then(() => {
        delete this.#next[encoding];
        const latest = this.get() as Made;
        const done = latest.packed[encoding];
        return done ? { etag: latest.etag, body: done } : this.#compress(latest, encoding);
      }));
  }

  async #compress(answer: Made, encoding: Encoding): Promise<{ etag: string; body: Buffer }> {
    const running = compress(answer.body, encoding);
    this.#running[encoding] = running;
    try {
      const body = await running;
      answer.packed[encoding] = body;
      return { etag: answer.etag, body };
    } finally {
      if (this.#running[encoding] === running) delete this.#running[encoding];
    }
  }
}
