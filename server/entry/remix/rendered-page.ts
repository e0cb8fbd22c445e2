import type { AppError } from '#server/common/errors.schema.ts';
import { COMPRESS_FROM, compress, preferredEncoding, type Encoding } from '#server/live/index.ts';
import { LARGE_BYTES } from '#server/http/large-answers.ts';
import type { RequestContext } from '../context.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import { hashTag, matches, type Reply } from '../rest/engine.ts';

/** Answers that are the same for everybody who asks. Refusals and errors are not. */
const SHAREABLE = [200, 301, 404];

/** Brotli's quality: of a list of 50 names (154 KB), 5 makes 12.8 KB in 1.6 ms, and 4, as for other answers, 14.3 in 1.2. */
const QUALITY = 5;

/** What Remix has answered, whole, and compressed at most once in each way. */
export class RenderedPage {
  readonly #compressed: Partial<Record<Encoding, Buffer | Promise<Buffer>>> = {};

  private constructor(
    private readonly status: number,
    private readonly headers: Record<string, string>,
    private readonly body: Buffer,
  ) {}

  /**
   * @param isPublic whether everybody gets the same, as the page's route says
   * @param error why a limit refuses what was asked for, if one does
   */
  static async of(
    response: Response,
    { isPublic = false, error }: { isPublic?: boolean; error?: AppError | undefined } = {},
  ): Promise<RenderedPage> {
    const headers = Object.fromEntries(response.headers);
    if (error?.retryAfter !== undefined) headers['retry-after'] = String(error.retryAfter);
    const body = Buffer.from(await response.arrayBuffer());
    // Pages set it themselves, and differ each time by their nonce; the data that scripts fetch for one is as public.
    if (headers['cache-control'] === undefined && isPublic && response.status === 200) {
      headers['cache-control'] = 'private, no-cache';
      headers['etag'] = hashTag(body);
    }
    headers['cache-control'] ??= 'no-store';
    return new RenderedPage(response.status, headers, body);
  }

  get isShareable(): boolean {
    return SHAREABLE.includes(this.status) && !('set-cookie' in this.headers);
  }

  /** At most, with what it is compressed to. */
  get keptBytes(): number {
    return 2 * this.body.length + 4096;
  }

  /**
   * At once, unless it has to be compressed first. Large ones count as look-ups.
   * @throws AppError `rate_limited`
   */
  reply(
    request: Pick<EndpointRequest, 'header'>,
    { requestId, limits, client }: Pick<RequestContext, 'requestId' | 'limits' | 'client'>,
  ): Reply | Promise<Reply> {
    const known = request.header('if-none-match');
    const { etag } = this.headers;
    if (etag !== undefined && known !== null && matches(known, etag)) {
      const { 'cache-control': kept = 'no-store' } = this.headers;
      const headers = { etag, 'cache-control': kept, 'x-request-id': requestId };
      return { status: 304, headers: { ...headers, vary: 'accept-encoding' }, body: null };
    }
    const accepted = request.header('accept-encoding');
    const encoding = this.body.length < COMPRESS_FROM ? 'identity' : preferredEncoding(accepted);
    const bytes = this.#in(encoding);
    const reply = (body: Buffer): Reply => {
      if (body.length > LARGE_BYTES) limits.countLookup(client());
      const headers = Object.assign({}, this.headers, {
        'x-request-id': requestId,
        'content-length': String(body.length),
        vary: 'accept-encoding',
      });
      if (encoding !== 'identity') headers['content-encoding'] = encoding;
      return { status: this.status, headers, body };
    };
    return bytes instanceof Promise ? bytes.then(reply) : reply(bytes);
  }

  #in(encoding: Encoding): Buffer | Promise<Buffer> {
    if (encoding === 'identity') return this.body;
    return (this.#compressed[encoding] ??= compress(this.body, encoding, QUALITY).then(
      (bytes) => (this.#compressed[encoding] = bytes),
    ));
  }
}
