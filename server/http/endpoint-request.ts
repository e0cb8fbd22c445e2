import type { IncomingMessage } from 'node:http';
import { AppError } from '#server/common/errors.schema.ts';

/** A request to the REST interface: the platform's {@link WebRequest}, or {@link NodeRequest}, which costs less. */
export interface EndpointRequest {
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** All headers. To read one, {@link header} is cheaper. */
  readonly headers: Headers;
  /** The value of a header, by its name in lower case; of several with that name, all of them with commas between. */
  header(name: string): string | null;
  /**
   * The body as it came in.
   * @param maxBytes counted where the request announces no length; an announced length is checked before
   * @throws AppError `payload_too_large`, `unsupported_media_type`, `client_closed`
   */
  bytes(maxBytes: number): Promise<Uint8Array>;
}

/** A standard Request. */
export class WebRequest implements EndpointRequest {
  constructor(private readonly request: Request) {}

  get method() {
    return this.request.method;
  }

  get url() {
    return this.request.url;
  }

  get headers() {
    return this.request.headers;
  }

  header(name: string): string | null {
    return this.request.headers.get(name);
  }

  async bytes(maxBytes: number): Promise<Uint8Array> {
    if (this.header('content-length') === null) return readAtMost(this.request, maxBytes);
    requireUncompressed(this);
    // The HTTP parser enforces an announced length.
    return new Uint8Array(await this.request.arrayBuffer().catch(closed));
  }
}

/** A request of Node with an ordinary Host header, and with an announced length if it has a body. */
export class NodeRequest implements EndpointRequest {
  #headers: Headers | undefined;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly host: string,
  ) {}

  get method() {
    return this.incoming.method ?? 'GET';
  }

  get url() {
    return `http://${this.host}${this.incoming.url}`;
  }

  get headers() {
    if (!this.#headers) {
      const { rawHeaders } = this.incoming;
      this.#headers = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2)
        this.#headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
    }
    return this.#headers;
  }

  header(name: string): string | null {
    return rawHeader(this.incoming, name);
  }

  bytes(): Promise<Uint8Array> {
    const { incoming } = this;
    requireUncompressed(this);
    return new Promise((resolve, reject) => {
      let body: Buffer | undefined;
      incoming.on('data', (chunk: Buffer) => {
        body = body ? Buffer.concat([body, chunk]) : chunk;
      });
      incoming.on('end', () => resolve(body ?? NOTHING));
      incoming.on('error', () => reject(clientClosed()));
    });
  }
}

/** Reads a header without the object of all headers, which Node builds when it is first asked for one. */
export function rawHeader({ rawHeaders }: IncomingMessage, name: string): string | null {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at];
    if (found?.length === name.length && found.toLowerCase() === name) {
      const one = rawHeaders[at + 1] ?? '';
      value = value === null ? one : `${value}, ${one}`;
    }
  }
  return value;
}

const NOTHING = Buffer.alloc(0);
const decoder = new TextDecoder();

/** A body as text, without a byte order mark: as Request.text() does it. */
export const decodeBody = (bytes: Uint8Array): string => decoder.decode(bytes);

/**
 * Reads a body of at most `maxBytes`, whether or not the request announces its length.
 * @throws AppError `payload_too_large`, `unsupported_media_type`, `client_closed`
 */
export async function readAtMost(request: Request, maxBytes: number): Promise<Buffer> {
  requireUncompressed(new WebRequest(request));
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(closed);
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > maxBytes) {
      void reader.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
}

/** No body is decompressed: a small one could become a large one. @throws AppError `unsupported_media_type` */
export function requireUncompressed(request: Pick<EndpointRequest, 'header'>): void {
  const encoding = request.header('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      'Send the body uncompressed, without the header "Content-Encoding".',
    );
}

/** The client has gone while its body, or its answer, was on the way: nobody's error, and nobody gets a reply. */
export const clientClosed = (): AppError =>
  new AppError('client_closed', 'The client has closed the connection.', { quiet: true });

const closed = (): never => {
  throw clientClosed();
};

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
