import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib';
import type { Encoding } from '#server/common/accept-encoding.schema.ts';

export type { Encoding };

export interface Encoded {
  etag: string;
  body: Buffer;
  encoding: Encoding;
}

/** The bytes of a GET answer, made at most once per change and shared by all requests. */
export interface Answer {
  /** A weak tag of the content, the same on every server that has the same content. */
  etag: string;
  /** Uncompressed bytes. */
  size: number;
  /**
   * The bytes, if possible in this encoding: at once if they exist, else a promise. They may be those of a newer
   * answer, with its tag.
   */
  in(encoding: Encoding): Encoded | Promise<Encoded>;
  /** The content of this URL will never change: everyone may keep it. */
  final?: true;
}

/**
 * Above this size (bytes) speed matters more than ratio, because large answers change with every ping.
 * Measured for 10,000 peers (1.9 MB): brotli 1 takes 5 ms for 221 KB, brotli 4 27 ms for 173 KB; gzip 3
 * takes 6 ms for 228 KB, gzip 6 16 ms for 210 KB.
 */
const LARGE_BYTES = 256 * 1024;

export const brotliOptions = (
  size: number,
  quality = size > LARGE_BYTES ? 1 : 4,
): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});
export const gzipOptions = (size: number): ZlibOptions => ({ level: size > LARGE_BYTES ? 3 : 6 });

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** @param quality of brotli; by default it depends on the size */
export const compress = (
  body: Buffer,
  encoding: 'br' | 'gzip',
  quality?: number,
): Promise<Buffer> =>
  encoding === 'br'
    ? brotli(body, brotliOptions(body.length, quality))
    : gzipped(body, gzipOptions(body.length));

/** A short digest of bytes or text. */
export const digest = (content: string | Buffer): string =>
  hash('sha1', content, 'base64url').slice(0, 22);

/** The tag of content in several digests and texts. It is weak, because `updatedAt` is no part of it. */
export const weakTag = (parts: string[]): string => `W/"${digest(parts.join('\n'))}"`;

/** An answer whose bytes never change. */
export interface FixedAnswer extends Answer {
  body: Buffer;
}

export function fixedAnswer(json: string): FixedAnswer {
  const body = Buffer.from(json);
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  const compressed: Partial<Record<Encoding, Promise<Encoded>>> = {};
  return {
    etag,
    body,
    size: body.length,
    in: (encoding) =>
      encoding === 'identity'
        ? { etag, body, encoding }
        : (compressed[encoding] ??= compress(body, encoding).then((body) => ({
            etag,
            body,
            encoding,
          }))),
  };
}

/** The content of an answer at one moment. */
export interface Content {
  json: Buffer;
  /** See {@link weakTag}. */
  etag: string;
  /** The content is right up to and including this moment (ms), unless `version()` changes. */
  until: number;
}

export interface AnswerCacheOptions<C extends Content> {
  /** Changes whenever the content may have changed, except by the passage of time. */
  version(): string;
  make(now: number): C;
  clock(): number;
}

/** Older answers are made again even if nothing has changed, because they contain `updatedAt`. */
const MAX_AGE_MS = 1000;

export interface CachedAnswer<C extends Content> extends Answer {
  content: C;
}

type Encodings = Partial<Record<Encoding, Encoded>>;

/** The answer of one URL over the read model, never behind it. */
export class AnswerCache<C extends Content = Content> {
  #answer: (CachedAnswer<C> & { encoded: Encodings }) | undefined;
  #version: string | undefined;
  #madeAt = -Infinity;
  #running: Partial<Record<Encoding, Promise<unknown>>> = {};
  #next: Partial<Record<Encoding, Promise<Encoded>>> = {};

  constructor(private readonly options: AnswerCacheOptions<C>) {}

  get(now = this.options.clock()): CachedAnswer<C> {
    return this.#current(now);
  }

  #current(now: number): CachedAnswer<C> & { encoded: Encodings } {
    const version = this.options.version();
    if (
      this.#answer &&
      version === this.#version &&
      now <= this.#answer.content.until &&
      now - this.#madeAt < MAX_AGE_MS
    )
      return this.#answer;
    const content = this.options.make(now);
    this.#version = version;
    this.#madeAt = now;
    const { etag, json } = content;
    const encoded: Encodings = { identity: { etag, body: json, encoding: 'identity' } };
    return (this.#answer = {
      etag,
      size: json.length,
      content,
      encoded,
      in: (encoding) =>
        encoded[encoding] ?? this.#encode(content, encoded, encoding as 'br' | 'gzip'),
    });
  }

  /**
   * While one compression runs, new requests wait for the next one, which compresses the answer current
   * by then: never older than the one requested, and never the same bytes twice.
   */
  #encode(content: C, encoded: Encodings, encoding: 'br' | 'gzip'): Promise<Encoded> {
    if (!this.#running[encoding]) return this.#compress(content, encoded, encoding);
    return (this.#next[encoding] ??= this.#running[encoding]
      .catch(() => undefined)
      .then(() => {
        delete this.#next[encoding];
        const { content, encoded } = this.#current(this.options.clock());
        return encoded[encoding] ?? this.#compress(content, encoded, encoding);
      }));
  }

  async #compress(
    { etag, json }: C,
    encoded: Encodings,
    encoding: 'br' | 'gzip',
  ): Promise<Encoded> {
    const running = compress(json, encoding);
    this.#running[encoding] = running;
    try {
      return (encoded[encoding] = { etag, body: await running, encoding });
    } finally {
      if (this.#running[encoding] === running) delete this.#running[encoding];
    }
  }
}
