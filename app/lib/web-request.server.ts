import { AppError } from '#server/common/errors.schema.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';

/** A standard Request, as an endpoint takes it. */
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

  async text(maxBytes: number): Promise<string> {
    // The HTTP parser enforces an announced length; without one the bytes are counted here. Both ways a byte order
    // mark is removed.
    if (this.header('content-length') !== null) return this.request.text();
    return new TextDecoder().decode(await readAtMost(this.request, maxBytes));
  }
}

/** Reads a body of at most `maxBytes`, whether or not the request declares its length. @throws AppError `payload_too_large` */
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
