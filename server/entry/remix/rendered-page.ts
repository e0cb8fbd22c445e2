import type { AppError } from '#server/common/errors.schema.ts';
import { COMPRESS_FROM, compress, preferredEncoding, type Encoding } from '#server/live/index.ts';
import { LARGE_BYTES } from '#server/http/large-answers.ts';
import type { RequestContext } from '../context.ts';
import type { Reply } from '../rest/engine.ts';

/** Answers that are the same for everybody who asks. Refusals and errors are not. */
const SHAREABLE = [200, 301, 404];

/** What Remix has answered, whole, and compressed at most once in each way. */
export class RenderedPage {
  readonly #compressed: Partial<Record<Encoding, Buffer | Promise<Buffer>>> = {};

  private constructor(
    private readonly status: number,
    private readonly headers: Record<string, string>,
    private readonly body: Buffer,
  ) {}

  /** @param error why a limit refuses what was asked for, if one does */
  static async of(response: Response, error?: AppError): Promise<RenderedPage> {
    const headers = Object.fromEntries(response.headers);
    if (error?.retryAfter !== undefined) headers['retry-after'] = String(error.retryAfter);
    // Pages set it themselves; the data that scripts fetch for a page is just as private.
    headers['cache-control'] ??= 'no-store';
    return new RenderedPage(response.status, headers, Buffer.from(await response.arrayBuffer()));
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
   * @param accepted the Accept-Encoding header of the client
   * @throws AppError `rate_limited`
   */
  reply(
    accepted: string | null,
    { requestId, limits, client }: Pick<RequestContext, 'requestId' | 'limits' | 'client'>,
  ): Reply | Promise<Reply> {
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
    return (this.#compressed[encoding] ??= compress(this.body, encoding).then(
      (bytes) => (this.#compressed[encoding] = bytes),
    ));
  }
}
