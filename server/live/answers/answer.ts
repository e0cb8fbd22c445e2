import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib';

/** How the bytes of an answer may be sent, as Content-Encoding names it. */
export type Encoding = 'identity' | 'br' | 'gzip';

/** Smaller answers are not worth compressing, bytes. */
export const COMPRESS_FROM = 1024;

/** The best encoding that the client accepts: br before gzip, and identity if it accepts neither. */
export function preferredEncoding(header: string | null): Encoding {
  if (header === null) return 'identity';
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const weight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const br = weight('br');
  const gzip = weight('gzip');
  if (br === 0 && gzip === 0) return 'identity';
  return br >= gzip ? 'br' : 'gzip';
}

/** An answer in one encoding. */
export interface Bytes {
  etag: string;
  body: Buffer;
  encoding: Encoding;
}

/** What a GET is answered with: prepared at most once per change, with its tag, for everybody who asks. */
export interface Answer {
  /** A weak tag of the content, the same on every server that has the same content. */
  etag: string;
  /** Uncompressed bytes; of no meaning if they are sent `asIs`. */
  size: number;
  /**
   * The bytes, if possible in this encoding: at once if they exist, else a promise. They may be those of a newer
   * answer, with its tag.
   */
  in(encoding: Encoding): Bytes | Promise<Bytes>;
  /** The content of this URL will never change: everyone may keep it. */
  final?: true;
  /** All clients get the same bytes, because compressing them would gain nothing: those of a picture. */
  asIs?: true;
}

/** An answer, with what those who prepare it know of its content. */
export interface AnswerWith<Content> extends Answer {
  content: Content;
}

/**
 * Above this size (bytes) speed matters more than ratio, because large answers change with every ping.
 * Measured for 10,000 peers (1.9 MB): brotli 1 takes 5 ms for 221 KB, brotli 4 27 ms for 173 KB; gzip 3
 * takes 6 ms for 228 KB, gzip 6 16 ms for 210 KB.
 */
const FAST_ABOVE_BYTES = 256 * 1024;

export const brotliOptions = (
  size: number,
  quality = size > FAST_ABOVE_BYTES ? 1 : 4,
): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});
export const gzipOptions = (size: number): ZlibOptions => ({
  level: size > FAST_ABOVE_BYTES ? 3 : 6,
});

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

/** An answer whose bytes never change. Its content is the uncompressed bytes. */
export const fixedAnswer = (text: string): AnswerWith<Buffer> =>
  // Weak, because the compressed bytes have the same tag.
  answerOf(Buffer.from(text), weakTag([text]));

/** The same for bytes with their weak tag. */
export function answerOf(body: Buffer, etag: string): AnswerWith<Buffer> {
  const compressed: Partial<Record<Encoding, Promise<Bytes>>> = {};
  return {
    etag,
    content: body,
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
export interface AnswerContent {
  json: Buffer;
  /** The tag of the content, as {@link weakTag} makes it. */
  etag: string;
  /** The content is right up to and including this moment (ms), unless `version()` changes. */
  until: number;
}

export interface AnswerCacheOptions<C extends AnswerContent> {
  /** Changes whenever the content may have changed, except by the passage of time. */
  version(): string;
  make(now: number): C;
  clock(): number;
}

/** Older answers are made again even if nothing has changed, because they contain `updatedAt`. */
const MAX_AGE_MS = 1000;

/** The encodings in which there are bytes already. */
type Encodings = Partial<Record<Encoding, Bytes>>;

/** The answer of one URL over the read model, never behind it. */
export class AnswerCache<C extends AnswerContent = AnswerContent> {
  #answer: (AnswerWith<C> & { encodings: Encodings }) | undefined;
  #version: string | undefined;
  #madeAt = -Infinity;
  #running: Partial<Record<Encoding, Promise<unknown>>> = {};
  #next: Partial<Record<Encoding, Promise<Bytes>>> = {};

  constructor(private readonly options: AnswerCacheOptions<C>) {}

  get(now = this.options.clock()): AnswerWith<C> {
    return this.#current(now);
  }

  #current(now: number): AnswerWith<C> & { encodings: Encodings } {
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
    const encodings: Encodings = { identity: { etag, body: json, encoding: 'identity' } };
    return (this.#answer = {
      etag,
      size: json.length,
      content,
      encodings,
      in: (encoding) =>
        encodings[encoding] ?? this.#encode(content, encodings, encoding as 'br' | 'gzip'),
    });
  }

  /**
   * While one compression runs, new requests wait for the next one, which compresses the answer current
   * by then: never older than the one requested, and never the same bytes twice.
   */
  #encode(content: C, encodings: Encodings, encoding: 'br' | 'gzip'): Promise<Bytes> {
    if (!this.#running[encoding]) return this.#compress(content, encodings, encoding);
    return (this.#next[encoding] ??= this.#running[encoding]
      .catch(() => undefined)
      .then(() => {
        delete this.#next[encoding];
        const { content, encodings } = this.#current(this.options.clock());
        return encodings[encoding] ?? this.#compress(content, encodings, encoding);
      }));
  }

  async #compress(
    { etag, json }: C,
    encodings: Encodings,
    encoding: 'br' | 'gzip',
  ): Promise<Bytes> {
    const running = compress(json, encoding);
    this.#running[encoding] = running;
    try {
      return (encodings[encoding] = { etag, body: await running, encoding });
    } finally {
      if (this.#running[encoding] === running) delete this.#running[encoding];
    }
  }
}
