import type { IncomingMessage } from 'node:http';
import { AppError } from '#server/common/errors.schema.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { Endpoint } from './endpoint.ts';
import type { ResourceRoute } from './resource-routes.ts';

interface DirectRequest {
  path: string;
  endpoint: Endpoint;
  request: EndpointRequest;
}

/** Of one spelling, so that there is nothing in it to refuse. */
const ORDINARY_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/;

/**
 * Finds the requests that an endpoint answers directly: its exact path, an ordinary Host, GET, HEAD, or POST with the
 * length of its body. Everything else is left to the other listener, which knows the rules for it.
 */
export function createEndpointTest(
  routes: ResourceRoute[],
): (incoming: IncomingMessage) => DirectRequest | null {
  const endpoints = new Map<string, Endpoint>();
  for (const { path, endpoint } of routes)
    if (endpoint && !path.includes(':')) endpoints.set(path, endpoint);

  return (incoming) => {
    const { method, url = '/' } = incoming;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const endpoint = endpoints.get(path);
    if (!endpoint || !(method === 'GET' || method === 'HEAD' || isSized(incoming))) return null;
    const host = rawHeader(incoming, 'host');
    return host !== null && ORDINARY_HOST.test(host)
      ? { path, endpoint, request: new NodeRequest(incoming, host) }
      : null;
  };
}

const isSized = (incoming: IncomingMessage) =>
  incoming.method === 'POST' && rawHeader(incoming, 'content-length') !== null;

/** A request with an ordinary Host header, and with a length if it has a body. */
class NodeRequest implements EndpointRequest {
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

  text(): Promise<string> {
    const { incoming } = this;
    return new Promise((resolve, reject) => {
      let body: Buffer | undefined;
      incoming.on('data', (chunk: Buffer) => {
        body = body ? Buffer.concat([body, chunk]) : chunk;
      });
      incoming.on('end', () => resolve(body ? decoder.decode(body) : ''));
      incoming.on('error', () =>
        reject(new AppError('invalid_json', 'The connection ended before the whole body.')),
      );
    });
  }
}

/** Without the object of all headers, which Node builds when it is first asked for one. */
function rawHeader({ rawHeaders }: IncomingMessage, name: string): string | null {
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

/** Removes a byte order mark, as Request.text() does. */
const decoder = new TextDecoder();
