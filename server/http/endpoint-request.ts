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
   * @throws AppError `payload_too_large`
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
    // The HTTP parser enforces an announced length.
    return this.header('content-length') === null
      ? readAtMost(this.request, maxBytes)
      : new Uint8Array(await this.request.arrayBuffer());
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
    return new Promise((resolve, reject) => {
      let body: Buffer | undefined;
      incoming.on('data', (chunk: Buffer) => {
        body = body ? Buffer.concat([body, chunk]) : chunk;
      });
      incoming.on('end', () => resolve(body ?? NOTHING));
      incoming.on('error', () =>
        reject(new AppError('invalid_json', 'The connection ended before the whole body.')),
      );
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

/** Reads a body of at most `maxBytes`, whether or not the request announces its length. @throws AppError `payload_too_large` */
export async function readAtMost(request: Request, maxBytes: number): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
